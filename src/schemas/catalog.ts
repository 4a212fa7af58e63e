import { Type, type Static } from 'typebox'
import { closed, Count, Minor, Uuid } from './scalars.ts'

const PriceEntry = Type.Object(
  {
    priceTypeId: Count({ examples: [1] }),
    priceTypeName: Type.String({ examples: ['Sur place'] }),
    unitPrice: Minor({ description: 'Cents, tax included.' }),
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
            description: 'Supplement in cents, tax included.',
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
  { id: Uuid(), name: Type.String({ examples: ['Carte bancaire'] }), enabled: Type.Boolean() },
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

/** The catalog lists: each is stored, pushed and read as one whole array. */
export const catalogLists = {
  products: Type.Array(CatalogProduct),
  modifiers: Type.Array(CatalogModifierGroup),
  payments: Type.Array(CatalogPayment),
  taxes: Type.Array(CatalogTax),
} as const

export type CatalogList = keyof typeof catalogLists
export type CatalogProduct = Static<typeof CatalogProduct>
export type CatalogModifierGroup = Static<typeof CatalogModifierGroup>
export type CatalogPayment = Static<typeof CatalogPayment>
export type CatalogTax = Static<typeof CatalogTax>
