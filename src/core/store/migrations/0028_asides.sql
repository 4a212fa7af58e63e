-- Documents of orders that were put aside lie in an archive outside of the database; the entry stays, with its hash and commitment.
alter table journal alter column document drop not null;

-- The document of this version stands here and not in the journal, whose entry was put aside.
alter table orders add column alone boolean not null default false;

-- What was put aside, as the journal has it, and has not come back.
create table asides (
  location_id uuid not null,
  from_seq bigint not null,
  to_seq bigint not null,
  -- Number of the entry that says so.
  seq bigint not null,
  archive text not null,
  sha256 text not null,
  documents int not null,
  bytes bigint not null,
  -- The last day of which an order was put aside.
  last_day date not null,
  primary key (location_id, from_seq)
);
