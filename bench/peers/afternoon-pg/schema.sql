create table api_keys (
  key text primary key,
  location_id uuid not null
);

create table orders (
  id uuid primary key,
  location_id uuid not null,
  device_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  report_id uuid,
  opened_at timestamptz not null,
  closed_at timestamptz,
  guests int not null,
  order_place text not null,
  order_number text not null,
  operator_id uuid not null,
  operator_name text not null,
  total numeric not null,
  total_tax numeric not null,
  total_discount numeric not null,
  customer_id text not null,
  is_canceled boolean not null,
  is_transferred boolean not null,
  transfer_reason text,
  cancel_reason text,
  channel text not null,
  service_type text not null,
  is_training boolean not null,
  source text not null,
  external_location_id text,
  external_order_id text
);
create index on orders (location_id, created_at, id);

create table order_items (
  order_id uuid not null references orders (id) on delete cascade,
  position int not null,
  description text not null,
  quantity numeric not null,
  weight numeric,
  unit_price numeric not null,
  total numeric not null,
  category text not null,
  sub_category text not null,
  is_canceled boolean not null,
  cancel_reason text,
  tier text not null,
  is_transferred boolean not null,
  transfer_reason text,
  stock_impact_indicator boolean,
  has_modifiers boolean not null,
  tax_name text not null,
  tax_rate numeric not null,
  tax_amount numeric not null,
  tax_catalog_id uuid not null,
  item_catalog_id uuid not null,
  is_loss boolean not null,
  loss_reason text,
  combo_parent_id text,
  primary key (order_id, position)
);

create table item_discounts (
  order_id uuid not null,
  item_position int not null,
  position int not null,
  discount_name text not null,
  discount_value numeric not null,
  discount_catalog_id uuid not null,
  primary key (order_id, item_position, position),
  foreign key (order_id, item_position) references order_items on delete cascade
);

create table item_modifiers (
  order_id uuid not null,
  item_position int not null,
  position int not null,
  modifier_group_id uuid not null,
  modifier_id uuid not null,
  name text not null,
  primary key (order_id, item_position, position),
  foreign key (order_id, item_position) references order_items on delete cascade
);

create table order_menus (
  order_id uuid not null references orders (id) on delete cascade,
  position int not null,
  id uuid not null,
  menu_catalog_id uuid not null,
  name text not null,
  quantity numeric not null,
  unit_price numeric not null,
  total numeric not null,
  primary key (order_id, position)
);

create table order_payments (
  order_id uuid not null references orders (id) on delete cascade,
  position int not null,
  payment_amount numeric not null,
  payment_name text not null,
  payment_catalog_id uuid not null,
  primary key (order_id, position)
);

create table order_tips (
  order_id uuid not null references orders (id) on delete cascade,
  position int not null,
  amount numeric not null,
  payment_catalog_id uuid,
  operator_id uuid,
  primary key (order_id, position)
);

create table catalog_products (
  location_id uuid not null,
  position int not null,
  id uuid not null,
  name text not null,
  category text not null,
  category_id uuid not null,
  sub_categories json not null,
  price_list json not null,
  primary key (location_id, position)
);
