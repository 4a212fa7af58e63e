-- Figures of business days: all tables except the statuses of devices are derived from the journal, and rebuilt when
-- the rules change.

-- A projection is a cursor on the journal, with rows derived from the entries up to seq. While a new generation is
-- built, the previous one is used for answers.
create table projections (
  location_id uuid not null,
  name text not null,
  generation int not null,
  -- Version of the rules, and settings of the location, from which the rows were made.
  version text not null,
  seq bigint not null,
  -- Head of the journal when the generation was begun: a later redaction changed documents that may have been read
  -- before.
  begun_at_seq bigint not null,
  live boolean not null,
  primary key (location_id, name, generation),
  constraint projections_seq check (seq >= 0)
);

-- Sums of a location's orders by business day, and by `kind` and `key`. Amounts are in ten-thousandths of the currency;
-- smaller parts are in 10⁻¹² of it (`_rest`), so sums are exact. Quantities are in thousandths. All may be negative.
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
  -- The latest day that named a sum by month or week: a late change to an earlier day does not rename it.
  named_on date,
  sales_rest bigint not null default 0,
  tax_rest bigint not null default 0,
  discounts_rest bigint not null default 0,
  other_items bigint not null default 0,
  other_sales bigint not null default 0,
  primary key (location_id, generation, kind, day, key)
);

-- The result of comparing each Z report with its orders.
create table report_checks (
  location_id uuid not null,
  generation int not null,
  report_id uuid not null,
  -- Business day of the report.
  day date not null,
  document text not null,
  -- The till, by which its next Z report is found: that also closes the days before it that have no report.
  till text,
  primary key (location_id, generation, report_id)
);
create index report_checks_day on report_checks (location_id, generation, day);
create index report_checks_till on report_checks (location_id, generation, till, day);

-- Orders that a Z report names but that do not have its id: they are missing, or have the id of another report or none.
create table report_waits (
  location_id uuid not null,
  generation int not null,
  order_id uuid not null,
  report_id uuid not null,
  primary key (location_id, generation, order_id, report_id)
);
create index report_waits_report on report_waits (location_id, generation, report_id);

-- The orders of each device on a business day. Amounts as in sales_cells.
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
  -- The latest opening or closing in any version of one of these orders.
  last_at timestamptz not null,
  sales_rest bigint not null default 0,
  tax_rest bigint not null default 0,
  primary key (location_id, generation, day, device_id)
);

-- Business days to check for completeness, because something changed on them.
create table due_days (
  location_id uuid not null,
  day date not null,
  -- The change happened at this journal number or before.
  seq bigint not null,
  -- When to check; null for now.
  due_at timestamptz,
  primary key (location_id, day)
);

-- The latest status that each till reported; it is not in the journal.
create table device_statuses (
  location_id uuid not null,
  device_id uuid not null,
  at timestamptz not null,
  complete_until timestamptz not null,
  last_number bigint,
  -- The last status whose number of orders matched those that had arrived: the next statuses are counted from there.
  base_until timestamptz not null,
  base_number bigint,
  -- Always 0: statuses have no journal entry.
  seq bigint not null,
  document text not null,
  primary key (location_id, device_id)
);
