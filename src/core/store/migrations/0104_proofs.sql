-- Closings, checkpoints, and the Merkle tree over the journal from which proofs are made.

-- Closings of days, months and years, according to the journal.
create table closings (
  location_id uuid not null,
  -- day, month or year.
  period text not null,
  number int not null,
  seq bigint not null,
  date date not null,
  -- The closing adds up the journal entries after one number and up to another.
  from_seq bigint not null,
  to_seq bigint not null,
  primary key (location_id, period, number)
);

-- Signed heads of the tree over the journal, according to the journal.
create table checkpoints (
  location_id uuid not null,
  -- Number of entries that the checkpoint covers.
  size bigint not null,
  seq bigint not null,
  origin text not null,
  primary key (location_id, size)
);

-- Complete subtrees, each over 2^level entries. They are computed from the hashes of the entries.
create table tree_nodes (
  location_id uuid not null,
  level int not null,
  place bigint not null,
  hash text not null,
  primary key (location_id, level, place)
);
