-- Closings, and the Merkle tree over the journal from which proofs are made.

-- Closings of days, months and years, as the journal has them.
create table closings (
  location_id uuid not null,
  -- day, month or year.
  period text not null,
  number int not null,
  seq bigint not null,
  date date not null,
  -- What it adds up: entries of the journal after one number and up to another.
  from_seq bigint not null,
  to_seq bigint not null,
  primary key (location_id, period, number)
);

-- Signed heads of the tree over the journal, as the journal has them.
create table checkpoints (
  location_id uuid not null,
  -- Entries that it covers.
  size bigint not null,
  seq bigint not null,
  origin text not null,
  primary key (location_id, size)
);

-- Whole subtrees of the tree over the journal: of 2^level entries each. They follow from the hashes of the entries.
create table tree_nodes (
  location_id uuid not null,
  level int not null,
  place bigint not null,
  hash text not null,
  primary key (location_id, level, place)
);
