-- What payments are, by name, and whether the numbers of Z reports follow one another (docs/money.md).
alter table locations
  add column payment_kinds text not null default '{}',
  add column report_numbers text not null default 'consecutive';

-- Citus adds a constraint by a statement of its own only.
alter table locations
  add constraint locations_report_numbers check (report_numbers in ('consecutive', 'any'));

-- Amounts of figures are ten-thousandths of the currency from here on, with what lies beyond these in 10⁻¹² of it, so that sums are
-- those of the decimals as they were written. The figures are made anew from the journal.
delete from projections where name in ('sales', 'days');
delete from sales_cells;
delete from report_checks;
delete from report_waits;
delete from device_days;
alter table sales_cells
  add column sales_rest bigint not null default 0,
  add column tax_rest bigint not null default 0,
  add column discounts_rest bigint not null default 0,
  add column other_items bigint not null default 0,
  add column other_sales bigint not null default 0;
alter table device_days
  add column sales_rest bigint not null default 0,
  add column tax_rest bigint not null default 0;

-- Texts that orders are found by have accented letters in one character, however the till wrote them.
update orders set number = normalize(number, nfc) where number is not nfc normalized;
update orders set channel = normalize(channel, nfc) where channel is not nfc normalized;
update orders set service_type = normalize(service_type, nfc) where service_type is not nfc normalized;
