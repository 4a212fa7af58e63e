-- Booking entries for accountants.

-- Accounts of a location's books, by version, according to the journal.
create table book_accounts (
  location_id uuid not null,
  version int not null,
  seq bigint not null,
  document text not null,
  primary key (location_id, version)
);

-- The sums from which booking entries of a Z report are made: a projection with generations, as in projections.
create table book_sums (
  location_id uuid not null,
  generation int not null,
  report_id uuid not null,
  day date not null,
  -- Journal number at which the row was written.
  seq bigint not null,
  document text not null,
  primary key (location_id, generation, report_id)
);
create index book_sums_day on book_sums (location_id, generation, day);

-- Business days that changed, and up to which journal number.
create table book_days (
  location_id uuid not null,
  generation int not null,
  day date not null,
  seq bigint not null,
  primary key (location_id, generation, day)
);

-- Issued batches, according to the journal.
create table book_batches (
  location_id uuid not null,
  number int not null,
  seq bigint not null,
  created_at timestamptz not null,
  until date not null,
  accounts_version int not null,
  -- Journal number at which the batch was computed.
  computed_at_seq bigint not null,
  entries int not null,
  primary key (location_id, number)
);

-- Issued entries, numbered without gaps per series, and whether they are in force.
create table book_entries (
  location_id uuid not null,
  series text not null,
  ordinal int not null,
  batch int not null,
  -- Id of the Z, or date of the day; and the side in the layout `clearing`, or `all`.
  source text not null,
  side text not null,
  day date not null,
  hash text not null,
  accounts_version int not null,
  is_reversal boolean not null,
  -- In force: neither a reversal nor reversed.
  stands boolean not null,
  -- A person accepted a Z that does not add up: the entry was made from the figures of the Z alone.
  is_accepted boolean not null,
  primary key (location_id, series, ordinal),
  constraint book_entries_ordinal check (ordinal > 0)
);
create index book_entries_source on book_entries (location_id, source);
create index book_entries_day on book_entries (location_id, day) where stands;
