-- The latest that each till said of itself; it is not in the journal.
create table device_statuses (
  location_id uuid not null,
  device_id uuid not null,
  at timestamptz not null,
  complete_until timestamptz not null,
  last_number bigint,
  -- The last status whose count agreed with what had arrived: from there the next ones are counted.
  base_until timestamptz not null,
  base_number bigint,
  -- Always 0: no entry of the journal says it.
  seq bigint not null,
  document text not null,
  primary key (location_id, device_id)
);
