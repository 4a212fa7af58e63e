-- The day that calls a sum by month what its label says: of what arrives later, an earlier day does not rename it.
alter table sales_cells add column named_on date;
