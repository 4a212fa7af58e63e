-- When a location was last backed up, and last proved whole.
create table upkeep (
  location_id uuid not null,
  work text not null,
  at timestamptz not null,
  -- Whether it ended well, and when it last did.
  ok boolean not null,
  succeeded_at timestamptz,
  primary key (location_id, work),
  constraint upkeep_work check (work in ('backup', 'verify'))
);
