import assert from 'node:assert/strict'

/**
 * The field tables of the specification, in its order: `name kind`. A kind is a scalar, the name of another table, or
 * either with `[]`. `?`: null is allowed by the specification; `!`: null is allowed by our decision (docs/decisions);
 * `~`: may be absent. Kept separate from the schemas in `src/core`, so that each checks the other.
 */
const tables = {
  Order: `
    id uuid, deviceId uuid, createdAt datetime, updatedAt datetime, locationId uuid, reportId uuid!, openedAt datetime,
    closedAt datetime!, guests integer, orderPlace string, orderNumber string, operatorId uuid, operatorName string,
    total number, totalTax number, totalDiscount number, customerId string, isCanceled boolean, isTransferred boolean,
    transferReason string?, cancelReason string?, items OrderItem[], menus OrderMenu[], payments OrderPayment[],
    tips OrderTip[]?, channel string, serviceType string, isTraining boolean, source string, externalLocationId string?,
    externalOrderId string?`,
  OrderItem: `
    description string, quantity number, weight number?, unitPrice number, total number, category string,
    subCategory string, isCanceled boolean, cancelReason string?, tier string, isTransferred boolean,
    transferReason string?, discountsApplied AppliedDiscount[], modifiers AppliedModifier[]~,
    stockImpactIndicator boolean~, tax ItemTax, itemCatalogId uuid, isLoss boolean, lossReason string?,
    comboParentId string?`,
  AppliedDiscount: `discountName string, discountValue number, discountCatalogId uuid`,
  AppliedModifier: `modifierGroupId uuid, modifierId uuid, name string`,
  ItemTax: `taxName string, taxRate number, taxAmount number, taxCatalogId uuid`,
  OrderPayment: `paymentAmount number, paymentName string, paymentCatalogId uuid`,
  OrderMenu: `id uuid, menuCatalogId uuid, name string, quantity number, unitPrice number, total number`,
  OrderTip: `amount number, paymentCatalogId uuid~, operatorId uuid~`,
  CatalogProduct: `
    id uuid, name string, category string, categoryId uuid, subCategories SubCategory[], priceList PriceEntry[]`,
  SubCategory: `name string, id uuid`,
  PriceEntry: `priceTypeId integer, priceTypeName string, unitPrice integer, taxRate integer`,
  CatalogModifierGroup: `id uuid, name string, options ModifierOption[]`,
  ModifierOption: `id uuid, name string, price number`,
  CatalogPayment: `id uuid, name string, enabled boolean`,
  CatalogTax: `id uuid, name string, percentage integer`,
  Location: `
    id uuid, name string, address string, siret string, city string, country string, naf string, phone string,
    text string, tva string, url string, zip string, deviceList Device[]~`,
  Device: `id uuid, name string, model string`,
  Health: `status string, uptime string, apiVersions string, docURL string`,
  Report: `
    id uuid, createdAt datetime, updatedAt datetime, locationId uuid, startedAt datetime, finalizedAt datetime,
    deviceName string, deviceIdentifier string?, reportNumber integer, guestsNumber integer, totalSales integer,
    reportHeaderInfo ReportHeader, reportProducts ReportProduct[], reportClerksShift ClerkShift[], clerkName string?,
    clerkId string?, reportDiscounts ReportDiscount[], reportTaxes ReportTax[], reportPayments ReportPayment[],
    initialCashBalance integer, finalCashBalance integer, reportEntries ReportEntry[], orders uuid[]`,
  ReportHeader: `
    headerAddress string, headerCity string, headerCountry string, headerName string, headerPhone string,
    headerNaf string, headerSiret string, headerText string, headerTva string, headerUrl string, headerZip string`,
  ReportProduct: `
    productName string, productSales integer, category string, subCategory string, productQuantity integer,
    productCatalogId uuid`,
  ClerkShift: `name string, id uuid, clockInDate datetime, clockOutDate datetime`,
  ReportDiscount: `discountName string, discountValue integer, discountCatalogId uuid`,
  ReportTax: `taxName string, taxRate integer, taxAmount integer, taxableAmount integer`,
  ReportPayment: `paymentName string, paymentAmount integer`,
  ReportEntry: `entryName string, entryAmount integer, entryType string`,
  Webhook: `
    id uuid, createdAt datetime, updatedAt datetime, events string[], endpointUrl url, locationId uuid, recipientId uuid`,
  PageMeta: `totalCount integer, currentPageIndex integer, totalPage integer, pageSize integer`,
  PageLinks: `self url, first url, last url, next url?, prev url?`,
  OrderPage: `data Order[], meta PageMeta, links PageLinks`,
  ReportPage: `data Report[], meta PageMeta`,
}

export type TableName = keyof typeof tables

type Field = { name: string; kind: string; isList: boolean; nullable: boolean; optional: boolean }

/** Returns the documented fields of a table, in their order. */
export function fieldsOf(table: TableName): Field[] {
  return tables[table].split(',').map((text) => {
    const [name = '', form = ''] = text.trim().split(' ')
    const kind = form.replaceAll(/[[\]?!~]/g, '')
    const isList = form.includes('[]')
    return { name, kind, isList, nullable: /[?!]/.test(form), optional: form.endsWith('~') }
  })
}

const scalars: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isSafeInteger(value),
  boolean: (value) => typeof value === 'boolean',
  uuid: (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(String(value)),
  datetime: (value) => typeof value === 'string' && new Date(value).toISOString() === value,
  url: (value) => typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value),
}

function check(kind: string, value: unknown, path: string): void {
  const isScalar = scalars[kind]
  if (isScalar) assert.ok(isScalar(value), `${path} is no ${kind}: ${JSON.stringify(value)}`)
  else assertFields(kind as TableName, value, path)
}

/**
 * Checks that a value has exactly the documented fields, in the documented order, each of its type, and null only where
 * that is allowed.
 */
export function assertFields(table: TableName, value: unknown, path: string = table): void {
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), `${path} is not an object`)
  const object = value as Record<string, unknown>
  const fields = fieldsOf(table)
  const present = fields.filter(({ name, optional }) => !optional || name in object)
  assert.deepEqual(
    Object.keys(object),
    present.map(({ name }) => name),
    `${path} has other fields, or in another order`,
  )
  for (const { name, kind, isList, nullable } of present) {
    const child = object[name]
    const here = `${path}.${name}`
    if (child === null) assert.ok(nullable, `${here} is null`)
    else if (isList) {
      assert.ok(Array.isArray(child), `${here} is not an array`)
      child.forEach((element, i) => check(kind, element, `${here}[${i}]`))
    } else check(kind, child, here)
  }
}

/** Returns the fields of a table that the specification allows to be null. */
export function nullableFields(table: TableName): string[] {
  return tables[table]
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text.endsWith('?'))
    .map((text) => text.split(' ')[0] as string)
}
