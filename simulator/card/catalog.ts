import type {
  CatalogModifierGroup,
  CatalogPayment,
  CatalogProduct,
  CatalogTax,
} from '../../src/core/contract/catalog/schema.ts'
import {
  askedGroups,
  discountCard,
  modifierCard,
  paymentNames,
  type DiscountKey,
  type PaymentKey,
} from './card-options.ts'
import { formuleCard, type Course, type FormuleRow } from './formules.ts'
import { drinksCard } from './drinks-card.ts'
import { foodCard } from './food-card.ts'
import { type CardRow, type CardSection, type Role, type VatClass } from './menu-card.ts'
import { idOf, randomOf } from '../random.ts'

/** Names the price types, in the order of their `priceTypeId` from 1. An order item's `tier` is one of these names. */
const tiers = ['Sur place', 'À emporter', 'Livraison', 'Happy hour'] as const
export type Tier = (typeof tiers)[number]

/** A tax; its rate is in hundredths of a percent. */
type Tax = { id: string; name: string; rate: number }
export type Price = { cents: number; tax: Tax }
export type Option = { id: string; name: string; cents: number }
export type ModifierGroup = { id: string; name: string; asked: boolean; options: Option[] }
export type Named = { id: string; name: string }
export type Discount = Named & { percent?: number; cents?: number }

export type Dish = Named & {
  category: string
  subCategory: string
  role: Role
  popularity: number
  byWeight: boolean
  stocked: boolean
  prices: Partial<Record<Tier, Price>>
  modifiers: ModifierGroup[]
}

export type Formule = Named & { row: FormuleRow; cents: number; tier: Tier; courses: Dish[][] }

/** The catalog lists of the location in the API. */
type CatalogLists = {
  products: CatalogProduct[]
  modifiers: CatalogModifierGroup[]
  payments: CatalogPayment[]
  taxes: CatalogTax[]
}

export type Catalog = {
  dishes: Dish[]
  formules: Record<FormuleRow['key'], Formule>
  discounts: Record<DiscountKey, Discount>
  payments: Record<PaymentKey, Named>
  /** Built on each read, to save memory with a thousand restaurants. */
  readonly lists: CatalogLists
  /** Returns the dishes of these roles sold under this price type. */
  sold(tier: Tier, ...roles: Role[]): Dish[]
}

const rates = { 2000: 'TVA 20 %', 1000: 'TVA 10 %', 550: 'TVA 5,5 %' } as const
type Rate = keyof typeof rates

const letters: Record<string, Tier> = { s: 'Sur place', e: 'À emporter', l: 'Livraison', h: 'Happy hour' }

function rateOf(vat: VatClass, tier: Tier): Rate {
  if (vat === 'alcohol') return 2000
  return vat === 'packaged' && (tier === 'À emporter' || tier === 'Livraison') ? 550 : 1000
}

const rounded = (cents: number, step: number) => Math.max(step, Math.round(cents / step) * step)

const factors: Record<Tier, number> = { 'Sur place': 1, 'À emporter': 0.95, Livraison: 1.15, 'Happy hour': 0.7 }

function mapValues<K extends string, V, R>(record: Readonly<Record<K, V>>, map: (value: V, key: K) => R): Record<K, R> {
  const entries = Object.entries(record) as [K, V][]
  return Object.fromEntries(entries.map(([key, value]) => [key, map(value, key)])) as Record<K, R>
}

type Basics = { seed: string; level: number; taxes: Record<Rate, Tax>; groups: Record<string, ModifierGroup> }

function dishOf(basics: Basics, section: CardSection, row: CardRow): Dish {
  const [name, cents, sold, popularity, ...modifiers] = row
  const { category, subCategory, role, vat } = section
  const prices: Dish['prices'] = {}
  for (const letter of sold) {
    const tier = letters[letter] as Tier
    const price = rounded(cents * basics.level * factors[tier], 10)
    prices[tier] = { cents: price, tax: basics.taxes[rateOf(vat, tier)] }
  }
  return {
    id: idOf(basics.seed, 'product', name),
    name,
    category,
    subCategory,
    role,
    popularity,
    byWeight: section.byWeight ?? false,
    stocked: section.stocked ?? false,
    prices,
    modifiers: modifiers.map((group) => basics.groups[group] as ModifierGroup),
  }
}

function courseOf(dishes: readonly Dish[], tier: Tier, course: Course): Dish[] {
  const fits = (dish: Dish) => course.roles.includes(dish.role) && dish.prices[tier] !== undefined
  return dishes.filter((dish) => fits(dish) && (course.names?.includes(dish.name) ?? true))
}

function productOf(seed: string, dish: Dish): CatalogProduct {
  const priceList = tiers.flatMap((tier, index) => {
    const price = dish.prices[tier]
    if (!price) return []
    return [{ priceTypeId: index + 1, priceTypeName: tier, unitPrice: price.cents, taxRate: price.tax.rate }]
  })
  return {
    id: dish.id,
    name: dish.name,
    category: dish.category,
    categoryId: idOf(seed, 'category', dish.category),
    subCategories: [{ name: dish.subCategory, id: idOf(seed, 'category', dish.category, dish.subCategory) }],
    priceList,
  }
}

/**
 * Makes a formule a product of the category Formules, so that `menuCatalogId` refers to something; its rate is that of
 * meals.
 */
function formuleProduct(seed: string, formule: Formule): CatalogProduct {
  const [category, subCategory] = ['Formules', formule.tier]
  const priceTypeId = tiers.indexOf(formule.tier) + 1
  return {
    id: formule.id,
    name: formule.name,
    category,
    categoryId: idOf(seed, 'category', category),
    subCategories: [{ name: subCategory, id: idOf(seed, 'category', category, subCategory) }],
    priceList: [{ priceTypeId, priceTypeName: formule.tier, unitPrice: formule.cents, taxRate: 1000 }],
  }
}

function listsOf(seed: string, catalog: Omit<Catalog, 'lists' | 'sold'>, basics: Basics): CatalogLists {
  const products = catalog.dishes.map((dish) => productOf(seed, dish))
  return {
    products: [...products, ...Object.values(catalog.formules).map((formule) => formuleProduct(seed, formule))],
    modifiers: Object.values(basics.groups).map(({ id, name, options }) => ({
      id,
      name,
      options: options.map((option) => ({ id: option.id, name: option.name, price: option.cents })),
    })),
    payments: Object.entries(catalog.payments).map(([key, { id, name }]) => ({ id, name, enabled: key !== 'cheque' })),
    taxes: Object.values(basics.taxes)
      .map(({ id, name, rate }) => ({ id, name, percentage: rate }))
      .toReversed(),
  }
}

/** Makes the card of one restaurant: the same dishes everywhere, at its own price level (0.9 to 1.2). */
export function buildCatalog(seed: string): Catalog {
  const level = randomOf(seed, 'price level').between(0.9, 1.2)
  const taxes = Object.fromEntries(
    Object.entries(rates).map(([rate, name]) => [rate, { id: idOf(seed, 'tax', rate), name, rate: Number(rate) }]),
  ) as Record<Rate, Tax>
  const groups = mapValues(modifierCard, (options, name) => ({
    id: idOf(seed, 'modifiers', name),
    name,
    asked: askedGroups.has(name),
    options: Object.entries(options).map(([option, cents]) => ({
      id: idOf(seed, 'modifier', name, option),
      name: option,
      cents,
    })),
  }))
  const basics = { seed, level, taxes, groups }
  const dishes = [...foodCard, ...drinksCard].flatMap((section) =>
    section.rows.map((row) => dishOf(basics, section, row)),
  )
  const formules = Object.fromEntries(
    formuleCard.map((row) => {
      const courses = row.courses.map((course) => courseOf(dishes, row.tier, course))
      const formule = { id: idOf(seed, 'product', row.name), name: row.name, row, tier: row.tier, courses }
      return [row.key, { ...formule, cents: rounded(row.cents * level, 10) }]
    }),
  ) as Catalog['formules']
  const discounts = mapValues(discountCard, (discount) => ({ id: idOf(seed, 'discount', discount.name), ...discount }))
  const payments = mapValues(paymentNames, (name) => ({ id: idOf(seed, 'payment', name), name }))
  const known = new Map<string, Dish[]>()
  const sold = (tier: Tier, ...roles: Role[]) => {
    const key = [tier, ...roles].join()
    const found = known.get(key) ?? dishes.filter((dish) => roles.includes(dish.role) && dish.prices[tier])
    known.set(key, found)
    return found
  }
  const parts = { dishes, formules, discounts, payments }
  return {
    ...parts,
    sold,
    get lists() {
      return listsOf(seed, parts, basics)
    },
  }
}
