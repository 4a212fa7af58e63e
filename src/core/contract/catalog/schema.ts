import { Type, type Static } from 'typebox'
import { paymentKinds } from '../money/payment-kinds-schema.ts'
import { Choice, closed, Count, Datetime, Minor, Nullable, Uuid } from '../scalars.ts'

const PriceEntry = Type.Object(
  {
    priceTypeId: Count({ examples: [1] }),
    priceTypeName: Type.String({ examples: ['Sur place'] }),
    unitPrice: Minor({ description: 'In minor units, tax included.' }),
    taxRate: Minor({ description: 'Hundredths of a percent: 1000 is 10 %.', examples: [1000] }),
  },
  { ...closed, title: 'PriceEntry' },
)

export const CatalogProduct = Type.Object(
  {
    id: Uuid(),
    name: Type.String({ examples: ['Entrecôte 300 g'] }),
    category: Type.String({ examples: ['Plats'] }),
    categoryId: Uuid(),
    subCategories: Type.Array(Type.Object({ name: Type.String({ examples: ['Viandes'] }), id: Uuid() }, closed)),
    priceList: Type.Array(PriceEntry),
  },
  { ...closed, title: 'CatalogProduct' },
)

export const CatalogModifierGroup = Type.Object(
  {
    id: Uuid(),
    name: Type.String({ examples: ['Cuisson'] }),
    options: Type.Array(
      Type.Object(
        {
          id: Uuid(),
          name: Type.String({ examples: ['Saignant'] }),
          price: Type.Number({
            minimum: Number.MIN_SAFE_INTEGER,
            maximum: Number.MAX_SAFE_INTEGER,
            description: 'Supplement in minor units, tax included.',
            examples: [0],
          }),
        },
        closed,
      ),
    ),
  },
  { ...closed, title: 'CatalogModifierGroup' },
)

export const CatalogPayment = Type.Object(
  {
    id: Uuid(),
    name: Type.String({ examples: ['Carte bancaire'] }),
    enabled: Type.Boolean(),
    kind: Type.Optional(
      Choice(paymentKinds, {
        description:
          'The kind of payment; only `cash` counts as cash in the drawer. A setting of the location for this name takes precedence. Without either, common names decide.',
        examples: ['card'],
      }),
    ),
  },
  { ...closed, title: 'CatalogPayment' },
)

export const CatalogTax = Type.Object(
  {
    id: Uuid(),
    name: Type.String({ examples: ['TVA 5,5 %'] }),
    percentage: Minor({ description: 'Hundredths of a percent: 550 is 5.5 %.', examples: [550] }),
  },
  { ...closed, title: 'CatalogTax' },
)

/** The catalog lists. Each is stored, pushed and read as one array. */
export const catalogLists = {
  products: Type.Array(CatalogProduct),
  modifiers: Type.Array(CatalogModifierGroup),
  payments: Type.Array(CatalogPayment),
  taxes: Type.Array(CatalogTax),
} as const

const CatalogFieldChange = Type.Object(
  {
    field: Type.String({ examples: ['priceList.unitPrice'] }),
    of: Nullable(Type.String(), { description: 'Name of the price or option that changed.', examples: ['Sur place'] }),
    before: Nullable(Type.String(), {
      description: 'Value before, as text; null if there was none.',
      examples: ['1250'],
    }),
    after: Nullable(Type.String(), { description: 'Value after, as text; null if there is none.', examples: ['1300'] }),
  },
  { ...closed, title: 'CatalogFieldChange' },
)

const CatalogChange = Type.Object(
  {
    kind: Choice(['added', 'changed', 'removed'] as const, { examples: ['changed'] }),
    id: Uuid({ description: 'Id of the product, modifier group, payment or tax.' }),
    name: Type.String({ examples: ['Entrecôte 300 g'] }),
    fields: Type.Array(CatalogFieldChange, {
      description: 'Fields that changed; empty if the entry was added or removed.',
    }),
  },
  { ...closed, title: 'CatalogChange' },
)

const CatalogVersion = Type.Object(
  {
    sequence: Count({ description: 'Sequence of the journal entry.', examples: [48211] }),
    acceptedAt: Datetime(),
    added: Count({ description: 'Number of entries added since the previous version.', examples: [0] }),
    changed: Count({ description: 'Number of entries that changed.', examples: [1] }),
    removed: Count({ description: 'Number of entries removed.', examples: [0] }),
    changes: Type.Array(CatalogChange, {
      description: 'The first 200 changes; values are cut off after 1,000 characters.',
    }),
  },
  { ...closed, title: 'CatalogVersion' },
)

export const CatalogVersionPage = Type.Object(
  {
    data: Type.Array(CatalogVersion, { description: 'Versions, newest first.' }),
    meta: Type.Object(
      {
        next: Nullable(Type.String(), {
          description: 'Pass it as `cursor` to continue; null at the end.',
          examples: [null],
        }),
      },
      closed,
    ),
  },
  { ...closed, title: 'CatalogVersionPage' },
)

export type CatalogChange = Static<typeof CatalogChange>
export type CatalogVersionPage = Static<typeof CatalogVersionPage>
export type CatalogList = keyof typeof catalogLists
export type CatalogProduct = Static<typeof CatalogProduct>
export type CatalogModifierGroup = Static<typeof CatalogModifierGroup>
export type CatalogPayment = Static<typeof CatalogPayment>
export type CatalogTax = Static<typeof CatalogTax>
