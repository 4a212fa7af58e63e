-- What the list of orders is narrowed by beside dates and state. Texts are cut as src/domain/documents/filter-text.ts does
-- it, for an entry of an index has a limit.
alter table orders
  add column number text collate "C",
  add column device_id uuid,
  add column operator_id uuid,
  add column channel text collate "C",
  add column service_type text collate "C",
  add column training boolean;

update orders o set
  number = left(d ->> 'orderNumber', 101),
  device_id = (d ->> 'deviceId')::uuid,
  operator_id = (d ->> 'operatorId')::uuid,
  channel = left(d ->> 'channel', 101),
  service_type = left(d ->> 'serviceType', 101),
  training = (d ->> 'isTraining')::boolean
from (select location_id, id, document::json as d from orders) parsed
where parsed.location_id = o.location_id and parsed.id = o.id;

alter table orders
  alter column number set not null,
  alter column device_id set not null,
  alter column operator_id set not null,
  alter column channel set not null,
  alter column service_type set not null,
  alter column training set not null;

-- The filters that let many orders through are counted from the index alone; a number lets few through.
drop index orders_created;
create index orders_created
  on orders (location_id, created_at, id, closed, device_id, operator_id, channel, service_type, training);
create index orders_number on orders (location_id, number, created_at, id);
