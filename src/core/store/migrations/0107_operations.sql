-- Walks along the journal of a location that somebody asked for over HTTP, and what came of them.
create table verifications (
  location_id uuid not null,
  id uuid not null,
  epoch text not null,
  -- The first entry that is walked, and the head when it began.
  from_seq bigint not null,
  to_seq bigint not null,
  to_hash text not null,
  -- The last entry that held, with its hash.
  done_seq bigint not null,
  done_hash text not null,
  state text not null,
  broken_at bigint,
  reason text,
  started_at timestamptz not null,
  -- Written while it runs: one that is silent ended with its process.
  seen_at timestamptz not null,
  ended_at timestamptz,
  primary key (location_id, id),
  constraint verifications_state check (state in ('running', 'ok', 'broken', 'failed'))
);
create unique index verifications_running on verifications (location_id) where state = 'running';
create index verifications_started on verifications (location_id, started_at, id);
