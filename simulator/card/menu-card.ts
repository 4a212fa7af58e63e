/** The role of a dish when a party chooses. */
export type Role =
  | 'starter'
  | 'main'
  | 'grill'
  | 'kids'
  | 'cheese'
  | 'dessert'
  | 'coffee'
  | 'soft'
  | 'bottled'
  | 'beer'
  | 'glass'
  | 'bottle'
  | 'cocktail'
  | 'spirit'
  | 'breakfast'
  | 'brunch'
  | 'togo'
  | 'pastry'

/**
 * Names the French VAT classes of a restaurant: `meal` 10 % everywhere, `alcohol` 20 % everywhere, `packaged` (in a
 * container that keeps it for later: cans, bottles, jars, bread) 10 % at the table and 5.5 % to take away.
 */
export type VatClass = 'meal' | 'alcohol' | 'packaged'

/** Where a dish is sold: s Sur place, e À emporter, l Livraison, h Happy hour. */
type Sold = 's' | 'e' | 'se' | 'el' | 'sel' | 'sh' | 'seh'

export type CardRow = readonly [name: string, cents: number, sold: Sold, popularity: number, ...modifiers: string[]]

export type CardSection = {
  category: string
  subCategory: string
  role: Role
  vat: VatClass
  /** Priced per kilogram; the scale gives the weight. */
  byWeight?: true
  /** The till counts its stock. */
  stocked?: true
  rows: readonly CardRow[]
}
