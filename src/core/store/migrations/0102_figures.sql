-- Figures of business days: all but the statuses of devices follows from the journal, and is made anew when its rules change.

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

-- Sums of a location's orders by business day, and by what `kind` and `key` name. Amounts are ten-thousandths of the
-- currency, with what lies beyond these in 10⁻¹² of it (`_rest`), so that sums are those of the decimals as they were
-- written. Quantities are thousandths. Any may be negative.
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
  -- The day that calls a sum by month what its label says: of what arrives later, an earlier day does not rename it.
  named_on date,
  sales_rest bigint not null default 0,
  tax_rest bigint not null default 0,
  discounts_rest bigint not null default 0,
  other_items bigint not null default 0,
  other_sales bigint not null default 0,
  primary key (location_id, generation, kind, day, key)
);

-- What became of each Z report beside its orders.
create table report_checks (
  location_id uuid not null,
  generation int not null,
  report_id uuid not null,
  -- Business day that the report is of.
  day date not null,
  document text not null,
  -- A day on which a till made no Z report is closed by its next one, however long after, so that one is found by its till.
  till text,
  primary key (location_id, generation, report_id)
);
create index report_checks_day on report_checks (location_id, generation, day);
create index report_checks_till on report_checks (location_id, generation, till, day);

-- Orders that a Z report names and that do not carry its id: missing ones, or of another report, or of none.
create table report_waits (
  location_id uuid not null,
  generation int not null,
  order_id uuid not null,
  report_id uuid not null,
  primary key (location_id, generation, order_id, report_id)
);
create index report_waits_report on report_waits (location_id, generation, report_id);

-- What each device did on a business day. Amounts as in sales_cells.
create table device_days (
  location_id uuid not null,
  generation int not null,
  day date not null,
  device_id uuid not null,
  closed bigint not null,
  open bigint not null,
  counted bigint not null,
  unreported bigint not null,
  sales bigint not null,
  tax bigint not null,
  -- Latest opening or closing that a version of one of its orders named.
  last_at timestamptz not null,
  sales_rest bigint not null default 0,
  tax_rest bigint not null default 0,
  primary key (location_id, generation, day, device_id)
);

-- Business days that something happened to, so that somebody looks whether they are complete.
create table due_days (
  location_id uuid not null,
  day date not null,
  -- Number of the journal up to which what happened is known.
  seq bigint not null,
  -- When to look; null for at once.
  due_at timestamptz,
  primary key (location_id, day)
);

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
