-- Directus requires a primary key of one column, and relations over one column.
alter table item_discounts drop constraint item_discounts_order_id_item_position_fkey;
alter table item_modifiers drop constraint item_modifiers_order_id_item_position_fkey;
alter table order_items drop constraint order_items_pkey, add unique (order_id, position);
alter table item_discounts drop constraint item_discounts_pkey;
alter table item_modifiers drop constraint item_modifiers_pkey;
alter table order_menus drop constraint order_menus_pkey, add unique (order_id, position);
alter table order_payments drop constraint order_payments_pkey, add unique (order_id, position);
alter table order_tips drop constraint order_tips_pkey, add unique (order_id, position);
alter table catalog_products drop constraint catalog_products_pkey, add unique (location_id, position);

alter table order_items add row_id int generated always as identity primary key;
alter table item_discounts add row_id int generated always as identity primary key;
alter table item_modifiers add row_id int generated always as identity primary key;
alter table order_menus add row_id int generated always as identity primary key;
alter table order_payments add row_id int generated always as identity primary key;
alter table order_tips add row_id int generated always as identity primary key;
alter table catalog_products add row_id int generated always as identity primary key;

alter table item_discounts add item_id int references order_items (row_id);
alter table item_modifiers add item_id int references order_items (row_id);
update item_discounts d set item_id = i.row_id
  from order_items i where i.order_id = d.order_id and i.position = d.item_position;
update item_modifiers m set item_id = i.row_id
  from order_items i where i.order_id = m.order_id and i.position = m.item_position;
alter table item_discounts drop order_id, drop item_position, alter item_id set not null, add unique (item_id, position);
alter table item_modifiers drop order_id, drop item_position, alter item_id set not null, add unique (item_id, position);

-- What the data studio of Directus writes when relations are set up in it.
insert into directus_collections (collection) values
  ('orders'), ('order_items'), ('item_discounts'), ('item_modifiers'), ('order_menus'), ('order_payments'),
  ('order_tips'), ('catalog_products');
insert into directus_fields (collection, field, special) values
  ('orders', 'items', 'o2m'), ('orders', 'menus', 'o2m'), ('orders', 'payments', 'o2m'), ('orders', 'tips', 'o2m'),
  ('order_items', 'discounts_applied', 'o2m'), ('order_items', 'modifiers', 'o2m');
insert into directus_relations (many_collection, many_field, one_collection, one_field, sort_field) values
  ('order_items', 'order_id', 'orders', 'items', 'position'),
  ('order_menus', 'order_id', 'orders', 'menus', 'position'),
  ('order_payments', 'order_id', 'orders', 'payments', 'position'),
  ('order_tips', 'order_id', 'orders', 'tips', 'position'),
  ('item_discounts', 'item_id', 'order_items', 'discounts_applied', 'position'),
  ('item_modifiers', 'item_id', 'order_items', 'modifiers', 'position');
