/**
 * How a value is written. Decimals are stored as integers, in units of their last place; `money` has two places, or
 * three if the currency has three.
 */
export type ColumnType =
  | 'uuid'
  | 'text'
  | 'date'
  | 'time'
  | 'local'
  | 'boolean'
  | 'int'
  | 'long'
  | 'money'
  | 'thousandths'
  | 'rate'

export type Column = readonly [name: string, type: ColumnType]

/**
 * A value as its column has it: a time in milliseconds since 1970, a date or a local time as ISO text; null if absent.
 */
export type Value = string | number | boolean | null

const ofAll: readonly Column[] = [
  ['location_id', 'uuid'],
  ['business_date', 'date'],
  ['sequence', 'long'],
]

/** Columns of the order, which each of its rows repeats. */
const ofOrder: readonly Column[] = [
  ...ofAll,
  ['order_id', 'uuid'],
  ['closed_at', 'time'],
  ['device_id', 'uuid'],
  ['channel', 'text'],
  ['service_type', 'text'],
  ['operator_id', 'uuid'],
  ['report_id', 'uuid'],
  ['is_canceled', 'boolean'],
  ['is_training', 'boolean'],
]

/** Version of the columns. Increment it when a column is added; columns are only added, at the end. */
export const tablesVersion = 2

/** The tables that are exported, with their columns in order. */
export const tables = {
  orders: [
    ...ofOrder,
    ['order_number', 'text'],
    ['created_at', 'time'],
    ['updated_at', 'time'],
    ['opened_at', 'time'],
    ['local_closed_at', 'local'],
    ['local_hour', 'int'],
    ['guests', 'long'],
    ['order_place', 'text'],
    ['customer_id', 'text'],
    ['operator_name', 'text'],
    ['total', 'money'],
    ['total_tax', 'money'],
    ['total_discount', 'money'],
    ['tips', 'money'],
    ['paid', 'money'],
    ['is_transferred', 'boolean'],
    ['cancel_reason', 'text'],
    ['source', 'text'],
    ['external_order_id', 'text'],
    ['is_counted', 'boolean'],
    ['refund_of', 'uuid'],
  ],
  items: [
    ...ofOrder,
    ['position', 'int'],
    ['description', 'text'],
    ['quantity', 'thousandths'],
    ['weight', 'thousandths'],
    ['unit_price', 'money'],
    ['total', 'money'],
    ['total_excl_tax', 'money'],
    ['tax_rate', 'rate'],
    ['tax_amount', 'money'],
    ['tax_name', 'text'],
    ['discount', 'money'],
    ['category', 'text'],
    ['sub_category', 'text'],
    ['tier', 'text'],
    ['product_id', 'uuid'],
    ['combo_parent_id', 'text'],
    ['is_canceled_item', 'boolean'],
    ['is_loss', 'boolean'],
    ['is_counted', 'boolean'],
    ['kind', 'text'],
  ],
  payments: [...ofOrder, ['position', 'int'], ['name', 'text'], ['amount', 'money'], ['payment_id', 'uuid']],
  taxes: [...ofOrder, ['rate', 'rate'], ['name', 'text'], ['taxable', 'money'], ['tax', 'money']],
  discounts: [...ofOrder, ['item_position', 'int'], ['name', 'text'], ['amount', 'money'], ['discount_id', 'uuid']],
  modifiers: [
    ...ofOrder,
    ['item_position', 'int'],
    ['position', 'int'],
    ['group_id', 'uuid'],
    ['modifier_id', 'uuid'],
    ['name', 'text'],
  ],
  tips: [...ofOrder, ['position', 'int'], ['amount', 'money'], ['payment_id', 'uuid'], ['tip_operator_id', 'uuid']],
  reports: [
    ...ofAll,
    ['report_id', 'uuid'],
    ['number', 'long'],
    ['device_name', 'text'],
    ['device_identifier', 'text'],
    ['started_at', 'time'],
    ['finalized_at', 'time'],
    ['total_sales', 'money'],
    ['guests', 'long'],
    ['initial_cash', 'money'],
    ['final_cash', 'money'],
    ['verdict', 'text'],
    ['books_state', 'text'],
  ],
  report_lines: [
    ...ofAll,
    ['report_id', 'uuid'],
    ['kind', 'text'],
    ['position', 'int'],
    ['name', 'text'],
    ['key', 'text'],
    ['quantity', 'thousandths'],
    ['amount', 'money'],
    ['taxable', 'money'],
    ['tax', 'money'],
  ],
} as const satisfies Record<string, readonly Column[]>

export type TableName = keyof typeof tables

/** Matches a month of the years 0001 to 9999. */
export const monthForm = String.raw`^([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)-(0[1-9]|1[0-2])$`

export const tableNames = Object.keys(tables) as TableName[]

export const columnsOf = (table: TableName): readonly Column[] => tables[table]

/** Tables whose rows come from orders; the rows of the other tables come from Z reports. */
export type OrderTable = Exclude<TableName, 'reports' | 'report_lines'>
export type ReportTable = Exclude<TableName, OrderTable>

export const isOfReports = (table: TableName): table is ReportTable => table === 'reports' || table === 'report_lines'
