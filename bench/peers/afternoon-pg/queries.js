const iso = (column) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const list = (fields, from, position) =>
  `(select coalesce(json_agg(json_build_object(${fields}) order by ${position}), '[]'::json) from ${from})`

const discounts = list(
  `'discountName', d.discount_name, 'discountValue', d.discount_value, 'discountCatalogId', d.discount_catalog_id`,
  `item_discounts d where d.order_id = i.order_id and d.item_position = i.position`,
  'd.position',
)

const modifiers = list(
  `'modifierGroupId', m.modifier_group_id, 'modifierId', m.modifier_id, 'name', m.name`,
  `item_modifiers m where m.order_id = i.order_id and m.item_position = i.position`,
  'm.position',
)

const items = list(
  `'description', i.description, 'quantity', i.quantity, 'weight', i.weight, 'unitPrice', i.unit_price,
   'total', i.total, 'category', i.category, 'subCategory', i.sub_category, 'isCanceled', i.is_canceled,
   'cancelReason', i.cancel_reason, 'tier', i.tier, 'isTransferred', i.is_transferred,
   'transferReason', i.transfer_reason, 'discountsApplied', ${discounts},
   'modifiers', case when i.has_modifiers then ${modifiers} end, 'stockImpactIndicator', i.stock_impact_indicator,
   'tax', json_build_object('taxName', i.tax_name, 'taxRate', i.tax_rate, 'taxAmount', i.tax_amount,
     'taxCatalogId', i.tax_catalog_id),
   'itemCatalogId', i.item_catalog_id, 'isLoss', i.is_loss, 'lossReason', i.loss_reason,
   'comboParentId', i.combo_parent_id`,
  'order_items i where i.order_id = o.id',
  'i.position',
)

const menus = list(
  `'id', m.id, 'menuCatalogId', m.menu_catalog_id, 'name', m.name, 'quantity', m.quantity, 'unitPrice', m.unit_price,
   'total', m.total`,
  'order_menus m where m.order_id = o.id',
  'm.position',
)

const payments = list(
  `'paymentAmount', p.payment_amount, 'paymentName', p.payment_name, 'paymentCatalogId', p.payment_catalog_id`,
  'order_payments p where p.order_id = o.id',
  'p.position',
)

const tips = `(select json_agg(json_build_object('amount', t.amount, 'paymentCatalogId', t.payment_catalog_id,
  'operatorId', t.operator_id) order by t.position) from order_tips t where t.order_id = o.id)`

const order = `json_build_object('id', o.id, 'deviceId', o.device_id, 'createdAt', ${iso('o.created_at')},
  'updatedAt', ${iso('o.updated_at')}, 'locationId', o.location_id, 'reportId', o.report_id,
  'openedAt', ${iso('o.opened_at')}, 'closedAt', ${iso('o.closed_at')}, 'guests', o.guests,
  'orderPlace', o.order_place, 'orderNumber', o.order_number, 'operatorId', o.operator_id,
  'operatorName', o.operator_name, 'total', o.total, 'totalTax', o.total_tax, 'totalDiscount', o.total_discount,
  'customerId', o.customer_id, 'isCanceled', o.is_canceled, 'isTransferred', o.is_transferred,
  'transferReason', o.transfer_reason, 'cancelReason', o.cancel_reason, 'items', ${items}, 'menus', ${menus},
  'payments', ${payments}, 'tips', ${tips}, 'channel', o.channel, 'serviceType', o.service_type,
  'isTraining', o.is_training, 'source', o.source, 'externalLocationId', o.external_location_id,
  'externalOrderId', o.external_order_id)`

const range = `o.location_id = $1 and o.closed_at is not null and o.created_at between $2 and $3`

export const getOrder = `select ${order} as order from orders o where o.location_id = $1 and o.id = $2`

// The page is selected first: otherwise OFFSET would also build the documents of all skipped orders.
export const listOrders = `select ${order} as order from (
  select * from orders o where ${range} order by o.created_at, o.id limit $4 offset $5) o
  order by o.created_at, o.id`

export const countOrders = `select count(*)::int as n from orders o where ${range}`

export const listProducts = `select id, name, category, category_id as "categoryId",
  sub_categories as "subCategories", price_list as "priceList"
  from catalog_products where location_id = $1 order by position`
