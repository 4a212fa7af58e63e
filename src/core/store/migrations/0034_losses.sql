-- Numbers that were acknowledged and are not in the journal, since the database went back to an older state. `sequence` is the entry with
-- which the journal resumed after it. It stays told until somebody has acknowledged it.
create table losses (
  location_id uuid not null,
  sequence bigint not null,
  from_seq bigint not null,
  to_seq bigint not null,
  found_at timestamptz not null,
  acknowledged_at timestamptz,
  primary key (location_id, sequence)
);
