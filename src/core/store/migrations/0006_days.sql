-- What became of each Z report beside its orders: a projection, made anew beside the rows that answer.
create table report_checks (
  location_id uuid not null,
  generation int not null,
  report_id uuid not null,
  -- Business day that the report is of.
  day date not null,
  document text not null,
  primary key (location_id, generation, report_id)
);
create index report_checks_day on report_checks (location_id, generation, day);

-- Orders that a Z report names and that do not carry its id: missing ones, or of another report, or of none.
create table report_waits (
  location_id uuid not null,
  generation int not null,
  order_id uuid not null,
  report_id uuid not null,
  primary key (location_id, generation, order_id, report_id)
);
create index report_waits_report on report_waits (location_id, generation, report_id);

-- What each device did on a business day. Amounts in hundredths.
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
  primary key (location_id, generation, day, device_id)
);
