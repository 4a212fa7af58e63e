-- A projection is one more cursor on the journal: rows that follow from it, and the sequence up to which they do. While a
-- new generation is built, the one before goes on answering.
create table projections (
  location_id uuid not null,
  name text not null,
  generation int not null,
  -- Version of the rules and the settings of the location that the rows were made by.
  version text not null,
  seq bigint not null,
  -- Head of the journal when it began: a redaction after that changed documents that were folded already.
  begun_at_seq bigint not null,
  live boolean not null,
  primary key (location_id, name, generation),
  constraint projections_seq check (seq >= 0)
);

-- Sums of a location's orders by business day. Amounts in hundredths, quantities in thousandths; any may be negative.
create table sales_cells (
  location_id uuid not null,
  generation int not null,
  kind text not null,
  day date not null,
  key text not null,
  label text not null,
  orders bigint not null,
  guests bigint not null,
  items bigint not null,
  sales bigint not null,
  tax bigint not null,
  discounts bigint not null,
  tips bigint not null,
  refunds bigint not null,
  canceled_orders bigint not null,
  canceled_sales bigint not null,
  training_orders bigint not null,
  training_sales bigint not null,
  loss_items bigint not null,
  loss_sales bigint not null,
  open_orders bigint not null,
  open_sales bigint not null,
  primary key (location_id, generation, kind, day, key)
);
