-- An order of another system has a second key: source, shop and order there. The same sale under another id is refused. Orders that were
-- stored before have none until they come again.
alter table orders add column external_key uuid;
create unique index orders_external on orders (location_id, external_key) where external_key is not null;
