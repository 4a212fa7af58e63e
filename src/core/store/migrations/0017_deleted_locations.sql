-- Journals that were deleted with their locations, and where they ended: a backup tells a deletion from another database by it.
create table deleted_locations (
  location_id uuid not null,
  epoch text not null,
  last_seq bigint not null,
  last_hash text not null,
  deleted_at timestamptz not null,
  primary key (location_id, epoch)
);
