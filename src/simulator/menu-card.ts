/** What a dish is for when a party chooses. */
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
 * French VAT classes of a restaurant: `meal` 10 % everywhere, `alcohol` 20 % everywhere, `packaged` (in a container that
 * keeps it for later: cans, bottles, jars, bread) 10 % at the table and 5.5 % to take away.
 */
export type VatClass = 'meal' | 'alcohol' | 'packaged'

/** Where it is sold: s Sur place, e À emporter, l Livraison, h Happy hour. */
type Sold = 's' | 'se' | 'el' | 'sel' | 'sh' | 'seh'

export type CardRow = readonly [name: string, cents: number, sold: Sold, popularity: number, ...modifiers: string[]]

export type CardSection = {
  category: string
  subCategory: string
  role: Role
  vat: VatClass
  /** Price is per kilogram and the scale gives the weight. */
  byWeight?: true
  /** The till counts these in its stock. */
  stocked?: true
  rows: readonly CardRow[]
}

const sides = 'Accompagnement'
const cooking = 'Cuisson'
const sauces = 'Sauce'
const extras = 'Supplément burger'

const food: readonly CardSection[] = [
  {
    category: 'Entrées',
    subCategory: 'Froides',
    role: 'starter',
    vat: 'meal',
    rows: [
      ['Œufs mayonnaise', 690, 'se', 9],
      ['Poireaux vinaigrette', 790, 'se', 5],
      ['Burrata, tomates et pesto', 1150, 's', 8],
      ['Terrine de campagne', 890, 's', 6],
      ['Saumon gravlax', 1190, 's', 5],
      ['Tartare de betterave', 850, 'se', 3],
    ],
  },
  {
    category: 'Entrées',
    subCategory: 'Chaudes',
    role: 'starter',
    vat: 'meal',
    rows: [
      ['Soupe à l’oignon gratinée', 950, 's', 7],
      ['Camembert rôti au miel', 1090, 's', 6],
      ['Escargots de Bourgogne (6)', 1150, 's', 4],
      ['Croquettes de jambon', 850, 'sel', 5],
    ],
  },
  {
    category: 'Plats',
    subCategory: 'Viandes',
    role: 'main',
    vat: 'meal',
    rows: [
      ['Steak frites', 1890, 'sel', 14, cooking, sauces],
      ['Entrecôte 300 g', 2690, 's', 9, cooking, sides, sauces],
      ['Tartare de bœuf au couteau', 1950, 's', 8, sides],
      ['Confit de canard', 2090, 'se', 7, sides],
      ['Poulet fermier rôti', 1790, 'sel', 9, sides],
      ['Saucisse purée', 1590, 'se', 6],
    ],
  },
  {
    category: 'Plats',
    subCategory: 'Poissons',
    role: 'main',
    vat: 'meal',
    rows: [
      ['Pavé de saumon', 1990, 's', 7, sides],
      ['Dos de cabillaud', 2190, 's', 6, sides],
      ['Moules frites', 1690, 'se', 6],
    ],
  },
  {
    category: 'Plats',
    subCategory: 'Burgers',
    role: 'main',
    vat: 'meal',
    rows: [
      ['Burger du patron', 1750, 'sel', 14, cooking, extras],
      ['Cheeseburger', 1650, 'sel', 10, cooking, extras],
      ['Burger végétarien', 1690, 'sel', 6, extras],
    ],
  },
  {
    category: 'Plats',
    subCategory: 'Végétarien',
    role: 'main',
    vat: 'meal',
    rows: [
      ['Risotto aux champignons', 1690, 's', 7],
      ['Gnocchis à la truffe', 1850, 'sel', 6],
      ['Curry de légumes', 1490, 'sel', 5],
    ],
  },
  {
    category: 'Plats',
    subCategory: 'Salades',
    role: 'main',
    vat: 'meal',
    rows: [
      ['Salade César', 1590, 'sel', 9],
      ['Salade de chèvre chaud', 1490, 'sel', 7],
      ['Salade niçoise', 1550, 'sel', 5],
    ],
  },
  {
    category: 'Plats',
    subCategory: 'Au poids',
    role: 'grill',
    vat: 'meal',
    byWeight: true,
    rows: [
      ['Côte de bœuf (le kg)', 7900, 's', 3, cooking, sauces],
      ['Poisson du jour (le kg)', 6900, 's', 2, sides],
    ],
  },
  {
    category: 'Plats',
    subCategory: 'Enfants',
    role: 'kids',
    vat: 'meal',
    rows: [
      ['Steak haché, frites', 1090, 'sel', 5],
      ['Poulet pané, purée', 1050, 'sel', 5],
    ],
  },
  {
    category: 'Plats',
    subCategory: 'Brunch',
    role: 'brunch',
    vat: 'meal',
    rows: [
      ['Œufs Bénédicte', 1390, 's', 8],
      ['Pancakes au sirop d’érable', 1090, 's', 6],
      ['Avocado toast', 1290, 'se', 6],
    ],
  },
  {
    category: 'Desserts',
    subCategory: 'Fromages',
    role: 'cheese',
    vat: 'meal',
    rows: [
      ['Assiette de trois fromages', 890, 's', 3],
      ['Faisselle au coulis', 590, 's', 2],
    ],
  },
  {
    category: 'Desserts',
    subCategory: 'Pâtisseries',
    role: 'dessert',
    vat: 'meal',
    rows: [
      ['Crème brûlée', 750, 's', 9],
      ['Moelleux au chocolat', 850, 'se', 8],
      ['Tarte du jour', 790, 'sel', 6],
      ['Île flottante', 690, 's', 5],
      ['Profiteroles', 950, 's', 6],
    ],
  },
  {
    category: 'Desserts',
    subCategory: 'Glaces',
    role: 'dessert',
    vat: 'meal',
    rows: [
      ['Coupe deux boules', 650, 's', 5, 'Parfum'],
      ['Café liégeois', 850, 's', 4],
    ],
  },
  {
    category: 'À emporter',
    subCategory: 'Bocaux',
    role: 'togo',
    vat: 'packaged',
    stocked: true,
    rows: [
      ['Tiramisu en bocal', 550, 'el', 6],
      ['Compote maison en bocal', 390, 'el', 3],
      ['Soupe du jour en bocal', 590, 'el', 3],
    ],
  },
  {
    category: 'À emporter',
    subCategory: 'Boulangerie',
    role: 'pastry',
    vat: 'packaged',
    rows: [
      ['Croissant', 180, 'se', 9],
      ['Pain au chocolat', 200, 'se', 8],
      ['Baguette tradition', 140, 'se', 4],
    ],
  },
]

const drinks: readonly CardSection[] = [
  {
    category: 'Boissons chaudes',
    subCategory: 'Cafés',
    role: 'coffee',
    vat: 'meal',
    rows: [
      ['Café', 220, 'se', 20],
      ['Décaféiné', 230, 'se', 4],
      ['Noisette', 250, 'se', 7],
      ['Cappuccino', 480, 'se', 5, 'Lait'],
    ],
  },
  {
    category: 'Boissons chaudes',
    subCategory: 'Thés et chocolats',
    role: 'coffee',
    vat: 'meal',
    rows: [
      ['Thé', 420, 'se', 6],
      ['Chocolat chaud', 490, 'se', 4, 'Lait'],
    ],
  },
  {
    category: 'Boissons fraîches',
    subCategory: 'Softs',
    role: 'soft',
    vat: 'meal',
    rows: [
      ['Limonade artisanale', 420, 'sh', 5],
      ['Sirop à l’eau', 290, 's', 4],
      ['Jus d’orange pressé', 550, 'se', 5],
      ['Thé glacé maison', 450, 'seh', 5],
    ],
  },
  {
    category: 'Boissons fraîches',
    subCategory: 'Bouteilles et canettes',
    role: 'bottled',
    vat: 'packaged',
    stocked: true,
    rows: [
      ['Eau plate 50 cl', 350, 'sel', 8],
      ['Eau gazeuse 50 cl', 370, 'sel', 8],
      ['Cola 33 cl', 420, 'sel', 10],
      ['Jus de pomme 25 cl', 440, 'sel', 4],
    ],
  },
  {
    category: 'Bières',
    subCategory: 'Pression',
    role: 'beer',
    vat: 'alcohol',
    rows: [
      ['Demi blonde', 480, 'sh', 12],
      ['Pinte blonde', 850, 'sh', 10],
      ['Pinte IPA', 920, 'sh', 7],
      ['Pinte blanche', 890, 'sh', 5],
    ],
  },
  {
    category: 'Vins',
    subCategory: 'Au verre',
    role: 'glass',
    vat: 'alcohol',
    rows: [
      ['Verre de côtes-du-rhône', 580, 'sh', 9],
      ['Verre de chablis', 690, 'sh', 7],
      ['Verre de rosé de Provence', 590, 'sh', 6],
      ['Coupe de crémant', 790, 'sh', 4],
    ],
  },
  {
    category: 'Vins',
    subCategory: 'Bouteilles',
    role: 'bottle',
    vat: 'alcohol',
    stocked: true,
    rows: [
      ['Bouteille de côtes-du-rhône', 2600, 'se', 7],
      ['Bouteille de bordeaux supérieur', 3100, 'se', 5],
      ['Bouteille de chablis', 3800, 's', 4],
      ['Bouteille de rosé de Provence', 2800, 'se', 5],
    ],
  },
  {
    category: 'Cocktails',
    subCategory: 'Classiques',
    role: 'cocktail',
    vat: 'alcohol',
    rows: [
      ['Spritz', 990, 'sh', 12],
      ['Mojito', 1050, 'sh', 9],
      ['Gin tonic', 1050, 'sh', 7],
      ['Moscow mule', 1090, 'sh', 5],
    ],
  },
  {
    category: 'Cocktails',
    subCategory: 'Apéritifs et digestifs',
    role: 'spirit',
    vat: 'alcohol',
    rows: [
      ['Kir', 590, 'sh', 6],
      ['Pastis', 390, 'sh', 5],
      ['Cognac', 980, 's', 3],
    ],
  },
  {
    category: 'Petit déjeuner',
    subCategory: 'Petit déjeuner',
    role: 'breakfast',
    vat: 'meal',
    rows: [
      ['Tartine beurre confiture', 350, 's', 6],
      ['Granola et fromage blanc', 750, 'se', 4],
    ],
  },
]

export const menuCard: readonly CardSection[] = [...food, ...drinks]
