import { Type, type Static } from 'typebox'
import { Amount, Choice, closed, Count, Datetime, Nullable, Uuid } from '../scalars.ts'

const AppliedDiscount = Type.Object(
  {
    discountName: Type.String({ examples: ['Happy hour'] }),
    discountValue: Amount({ description: 'Amount deducted, in major units.', examples: [1.5] }),
    discountCatalogId: Uuid(),
  },
  { ...closed, title: 'AppliedDiscount' },
)

const AppliedModifier = Type.Object(
  {
    modifierGroupId: Uuid(),
    modifierId: Uuid(),
    name: Type.String({ examples: ['Saignant'] }),
    price: Type.Optional(
      Amount({
        description: 'Price of one modifier, in major units, tax included. The `unitPrice` of the item includes it.',
        examples: [0],
      }),
    ),
    quantity: Type.Optional(Amount({ description: 'Quantity per item; 1 if absent.', examples: [1] })),
  },
  { ...closed, title: 'AppliedModifier' },
)

const ItemTax = Type.Object(
  {
    taxName: Type.String({ examples: ['TVA 10 %'] }),
    taxRate: Amount({ description: 'A fraction: 0.1 is 10 %.', examples: [0.1] }),
    taxAmount: Amount({ description: 'Tax included in the item total, in major units.', examples: [1.14] }),
    taxCatalogId: Uuid({ description: 'Id of a catalog tax.' }),
    isStated: Type.Optional(
      Type.Boolean({
        description:
          'False if the tax of the item is not stated, which differs from a rate of 0. Rate and amount are then 0, and figures and ' +
          'e-reporting list the item separately.',
        examples: [true],
      }),
    ),
  },
  { ...closed, title: 'ItemTax' },
)

/** The kinds of items. All except `sale` are money received that is not a sale. */
export const itemKinds = ['sale', 'voucher', 'deposit', 'charge'] as const

export const OrderItem = Type.Object(
  {
    description: Type.String({ examples: ['Entrecôte 300 g'] }),
    quantity: Amount({ description: 'Quantity; may be fractional.', examples: [1] }),
    weight: Nullable(Amount(), { description: 'Weight sold, for items sold by weight.', examples: [null] }),
    unitPrice: Amount({ description: 'Price of one unit in major units, tax included.' }),
    total: Amount({ description: 'Price of the line in major units, tax included, after discounts.' }),
    category: Type.String({ examples: ['Plats'] }),
    subCategory: Type.String({ examples: ['Viandes'] }),
    isCanceled: Type.Boolean({ examples: [false] }),
    cancelReason: Nullable(Type.String(), { description: 'Null if the till gave none.', examples: [null] }),
    tier: Type.String({ description: 'Name of the price type applied (open set).', examples: ['Sur place'] }),
    isTransferred: Type.Boolean({ examples: [false] }),
    transferReason: Nullable(Type.String(), { description: 'Null if the till gave none.', examples: [null] }),
    discountsApplied: Type.Array(AppliedDiscount, { maxItems: 100, description: 'May be empty.' }),
    modifiers: Type.Optional(
      Type.Array(AppliedModifier, { maxItems: 200, description: 'Present on some items only.' }),
    ),
    stockImpactIndicator: Type.Optional(Type.Boolean({ description: 'Present on some items only.', examples: [true] })),
    tax: ItemTax,
    itemCatalogId: Uuid({ description: 'Id of a catalog product.' }),
    isLoss: Type.Boolean({ examples: [false] }),
    lossReason: Nullable(Type.String(), { description: 'Null if the till gave none.', examples: [null] }),
    comboParentId: Nullable(Type.String(), {
      description: 'Id of the element of `menus` that the item belongs to; null for an item sold separately.',
      examples: [null],
    }),
    kind: Type.Optional(
      Choice(itemKinds, {
        description:
          '`sale` if absent. `voucher`: a voucher that was sold. `deposit`: a container deposit or an advance payment. `charge`: a service ' +
          'charge or surcharge. The last three count in the `total` of the order, but not as sales.',
        examples: ['sale'],
      }),
    ),
  },
  { ...closed, title: 'OrderItem' },
)

/** A set menu (decision 0009). Its dishes are ordinary items whose `comboParentId` is this id. */
const OrderMenu = Type.Object(
  {
    id: Uuid(),
    menuCatalogId: Uuid(),
    name: Type.String({ examples: ['Formule midi'] }),
    quantity: Amount({ examples: [1] }),
    unitPrice: Amount({ description: 'Price of one menu in major units, tax included.', examples: [19.9] }),
    total: Amount({ description: 'For information: the order total is the sum of its items.', examples: [19.9] }),
  },
  { ...closed, title: 'OrderMenu' },
)

const OrderPayment = Type.Object(
  {
    paymentAmount: Amount({ description: 'Amount paid, in major units.' }),
    paymentName: Type.String({ examples: ['Carte bancaire'] }),
    paymentCatalogId: Uuid({ description: 'Id of a catalog payment.' }),
  },
  { ...closed, title: 'OrderPayment' },
)

/** A tip, which is not part of `total` (decision 0009). */
const OrderTip = Type.Object(
  {
    amount: Amount({ description: 'In major units; not part of the order total.', examples: [2] }),
    paymentCatalogId: Type.Optional(Uuid()),
    operatorId: Type.Optional(Uuid()),
  },
  { ...closed, title: 'Tip' },
)

export const Order = Type.Object(
  {
    id: Uuid(),
    deviceId: Uuid({ description: 'Id of the till, from the location’s `deviceList`.' }),
    createdAt: Datetime({ description: 'Creation time set by the till, UTC. Lists are ordered by it.' }),
    updatedAt: Datetime({
      description: 'Time of the last change set by the till, UTC. It identifies the version of the order.',
    }),
    locationId: Uuid(),
    reportId: Nullable(Uuid(), { description: 'Id of the report; null until one is assigned.' }),
    openedAt: Datetime(),
    closedAt: Nullable(Datetime(), { description: 'Null while the order is open.' }),
    guests: Count({ description: 'Number of guests.' }),
    orderPlace: Type.String({ description: 'Table or place.', examples: ['12'] }),
    orderNumber: Type.String({ examples: ['1042'] }),
    operatorId: Uuid(),
    operatorName: Type.String({ examples: ['Camille'] }),
    total: Amount({ description: 'In major units, including tax, excluding tips.' }),
    totalTax: Amount({ description: 'Tax included in `total`, in major units.', examples: [1.14] }),
    totalDiscount: Amount({ description: 'Discounts deducted, in major units.', examples: [0] }),
    customerId: Type.String({ description: 'Customer reference of the till; empty if there is none.', examples: [''] }),
    isCanceled: Type.Boolean({ examples: [false] }),
    isTransferred: Type.Boolean({ examples: [false] }),
    transferReason: Nullable(Type.String(), { description: 'Null if the till gave none.', examples: [null] }),
    cancelReason: Nullable(Type.String(), { description: 'Null if the till gave none.', examples: [null] }),
    items: Type.Array(OrderItem, { maxItems: 5_000 }),
    menus: Type.Array(OrderMenu, { maxItems: 500 }),
    payments: Type.Array(OrderPayment, { maxItems: 500 }),
    tips: Nullable(Type.Array(OrderTip, { maxItems: 500 }), { examples: [null] }),
    channel: Type.String({
      description:
        'Open set: pos, kiosk, qr_table, website, mobile_app, phone, marketplace, catering, api, other (decision 0009).',
      examples: ['pos'],
    }),
    serviceType: Type.String({
      description:
        'Open set: eat_in, takeaway, delivery, curbside, drive_through, room_service, other (decision 0009).',
      examples: ['eat_in'],
    }),
    isTraining: Type.Boolean({
      description: 'A training order is listed and journaled, but causes no event. Exclude it from sums.',
      examples: [false],
    }),
    source: Type.String({ description: 'Slug of the system that the order comes from (open set).', examples: ['pos'] }),
    externalLocationId: Nullable(Type.String(), { examples: [null] }),
    externalOrderId: Nullable(Type.String(), {
      description: 'Unique within a location, together with `source` and `externalLocationId`.',
      examples: [null],
    }),
    refundOf: Type.Optional(
      Nullable(Uuid(), { description: 'Id of the refunded order, if the till knows it.', examples: [null] }),
    ),
  },
  { ...closed, title: 'Order' },
)

export type Order = Static<typeof Order>
export type OrderItem = Static<typeof OrderItem>
