-- Who read what, and what was done by hand, chained like the journal: an entry that is changed or removed shows.
create table access_heads (
  location_id uuid primary key,
  last_seq bigint not null,
  last_hash text not null,
  last_at timestamptz not null,
  -- The last entry whose time was over and which is gone: the chain is checked from here on.
  base_seq bigint not null,
  base_hash text not null
);

create table access_entries (
  location_id uuid not null,
  seq bigint not null,
  id uuid not null,
  at timestamptz not null,
  kind text not null,
  document text not null,
  hash text not null,
  primary key (location_id, seq),
  constraint access_entries_kind check (kind in ('reads', 'act'))
);
