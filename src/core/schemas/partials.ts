import { Type, type Static, type TSchema } from 'typebox'
import { CatalogModifierGroup, CatalogPayment, CatalogProduct, CatalogTax } from '../contract/catalog/schema.ts'
import { Device } from '../contract/location/schema.ts'
import type { RecordType } from '../contract/resources.ts'
import { closed, Uuid } from '../contract/scalars.ts'

/** Records of one entry of a list: the record of the complete list, and the shape of the entry. */
export const partials = {
  device: { of: 'location', schema: Device },
  'catalog.product': { of: 'catalog.products', schema: CatalogProduct },
  'catalog.modifier': { of: 'catalog.modifiers', schema: CatalogModifierGroup },
  'catalog.payment': { of: 'catalog.payments', schema: CatalogPayment },
  'catalog.tax': { of: 'catalog.taxes', schema: CatalogTax },
} as const satisfies Record<string, { of: RecordType; schema: TSchema }>

export type PartialType = keyof typeof partials

export const partialTypes = Object.keys(partials) as PartialType[]

/** Removes an entry from its list. */
export const Removal = Type.Object({ id: Uuid(), removed: Type.Literal(true) }, { ...closed, title: 'Removal' })

export type Removal = Static<typeof Removal>
