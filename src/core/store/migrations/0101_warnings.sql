-- Warnings to tills: the records themselves are stored. Limited by age and number.
create table ingest_warnings (
  location_id uuid not null,
  id uuid not null,
  received_at timestamptz not null,
  key_id uuid,
  line bigint not null,
  kind text not null,
  resource_id uuid not null,
  pointer text not null,
  code text not null,
  detail text not null,
  primary key (location_id, id)
);
create index ingest_warnings_received on ingest_warnings (location_id, received_at, id);
