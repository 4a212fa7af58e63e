import type { CardSection } from './menu-card.ts'

export const drinksCard: readonly CardSection[] = [
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
