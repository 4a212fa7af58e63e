import type { Role } from './menu-card.ts'

/** One course: a dish of one of these roles and, if `names` is given, with one of these names. */
export type Course = { roles: readonly Role[]; names?: readonly string[] }

/** A set menu at one price; `tier` is the price type under which it is sold. */
export type FormuleRow = {
  key: 'lunch' | 'lunchFull' | 'dinner' | 'kids' | 'brunch' | 'togo' | 'delivery'
  name: string
  cents: number
  tier: 'Sur place' | 'À emporter' | 'Livraison'
  courses: readonly Course[]
}

const roles = (...list: Role[]): Course => ({ roles: list })

/**
 * Lists the formules. The courses decide the VAT: `dinner` and `brunch` mix 10 and 20 %, `togo` and `delivery` 10 and
 * 5.5 %. The price is split over the dishes in proportion to their single prices, as French tax practice requires.
 */
export const formuleCard: readonly FormuleRow[] = [
  { key: 'lunch', name: 'Formule midi', cents: 1790, tier: 'Sur place', courses: [roles('main'), roles('dessert')] },
  {
    key: 'lunchFull',
    name: 'Menu du marché',
    cents: 2290,
    tier: 'Sur place',
    courses: [roles('starter'), roles('main'), roles('dessert')],
  },
  {
    key: 'dinner',
    name: 'Menu du soir, verre compris',
    cents: 3490,
    tier: 'Sur place',
    courses: [roles('starter'), roles('main'), roles('dessert'), roles('glass')],
  },
  {
    key: 'kids',
    name: 'Menu enfant',
    cents: 1190,
    tier: 'Sur place',
    courses: [
      roles('kids'),
      { roles: ['soft'], names: ['Sirop à l’eau'] },
      { roles: ['dessert'], names: ['Coupe deux boules'] },
    ],
  },
  {
    key: 'brunch',
    name: 'Brunch du dimanche',
    cents: 2690,
    tier: 'Sur place',
    courses: [
      roles('brunch'),
      roles('pastry'),
      roles('coffee'),
      { roles: ['glass', 'soft'], names: ['Coupe de crémant', 'Jus d’orange pressé'] },
    ],
  },
  {
    key: 'togo',
    name: 'Formule à emporter',
    cents: 1490,
    tier: 'À emporter',
    courses: [roles('main'), roles('togo'), roles('bottled')],
  },
  {
    key: 'delivery',
    name: 'Menu livraison',
    cents: 1990,
    tier: 'Livraison',
    courses: [roles('main'), roles('togo'), roles('bottled')],
  },
]
