-- Verifications of journals that were requested over HTTP, and their results.
create table verifications (
  location_id uuid not null,
  id uuid not null,
  epoch text not null,
  -- The first entry that is verified, and the head of the journal at the beginning.
  from_seq bigint not null,
  to_seq bigint not null,
  to_hash text not null,
  -- The last valid entry, with its hash.
  done_seq bigint not null,
  done_hash text not null,
  state text not null,
  broken_at bigint,
  reason text,
  started_at timestamptz not null,
  -- Updated during the verification: if it is no longer updated, the process that ran it has ended.
  seen_at timestamptz not null,
  ended_at timestamptz,
  primary key (location_id, id),
  constraint verifications_state check (state in ('running', 'ok', 'broken', 'failed'))
);
create unique index verifications_running on verifications (location_id) where state = 'running';
create index verifications_started on verifications (location_id, started_at, id);
