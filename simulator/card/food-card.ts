import type { CardSection } from './menu-card.ts'

const sides = 'Accompagnement'
const cooking = 'Cuisson'
const sauces = 'Sauce'
const extras = 'Supplément burger'

export const foodCard: readonly CardSection[] = [
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
      ['Baguette tradition', 140, 'e', 4],
    ],
  },
]
