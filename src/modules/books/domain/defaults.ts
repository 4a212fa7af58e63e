import type { BookAccountsEffective } from '../schemas/books-accounts.ts'

// Default accounts of a French restaurant. Sources differ (tips 467, 4261 or 421; meal vouchers 5112 or 5113; vouchers
// 4191 or 4675).

/** The rate in hundredths of a percent, and the suffix of its account numbers. */
const rates = [
  [0, '000'],
  [210, '021'],
  [550, '055'],
  [850, '085'],
  [1000, '100'],
  [2000, '200'],
] as const

/** Writes a rate in French: `5,5 %`. */
export const rateText = (rate: number): string => `${String(rate / 100).replace('.', ',')} %`

const cashNames = ['Espèces', 'Espèce', 'Liquide', 'Numéraire', 'Cash', 'Bar', 'Bargeld', 'Contanti', 'Efectivo']

const paymentAccounts: readonly (readonly [account: string, accountName: string, names: string])[] = [
  ['511500', 'Cartes bancaires à encaisser', 'Carte bancaire, Carte, CB, Card'],
  ['511200', 'Chèques à encaisser', 'Chèque'],
  [
    '511600',
    'Titres-restaurant à encaisser',
    'Titre-restaurant, Titres-restaurant, Titre restaurant, Titres restaurant, Ticket restaurant, Tickets restaurant, ' +
      'Ticket-restaurant, Tickets-restaurant, Carte titre-restaurant, Carte titre restaurant, Titre-restaurant papier',
  ],
  ['419100', 'Bons et avances de clients', 'Carte cadeau, Bon cadeau, Chèque cadeau'],
]

const transfer = { account: '580000', accountName: 'Virements internes' }
const suspense = { account: '471000', accountName: "Compte d'attente" }
const owed = { account: '419100', accountName: 'Bons et avances de clients' }
const tips = { account: '467000', accountName: 'Pourboires à reverser' }

export const defaultAccounts: BookAccountsEffective = {
  layout: 'direct',
  journals: { cash: { code: 'CA', name: 'Journal de caisse' }, sales: { code: 'VE', name: 'Journal des ventes' } },
  revenueBy: 'rate',
  discounts: 'net',
  drawer: true,
  taxTolerance: 0,
  startsOn: null,
  closedUntil: null,
  tills: {},
  withoutReport: 'day',
  payments: [
    ...cashNames.map((name) => ({ name, cash: true as const })),
    ...paymentAccounts.flatMap(([account, accountName, names]) =>
      names.split(', ').map((name) => ({ name, account, accountName })),
    ),
  ],
  revenue: rates.map(([rate, end]) => ({ rate, account: `706${end}`, accountName: `Ventes ${rateText(rate)}` })),
  tax: rates
    .filter(([rate]) => rate > 0)
    .map(([rate, end]) => ({ rate, account: `44571${end}`, accountName: `TVA collectée ${rateText(rate)}` })),
  entries: [
    ...['cash_in', 'cash_out', 'bank_deposit'].map((entryType) => ({ entryType, ...transfer })),
    { entryType: 'tip_out', ...tips },
    { entryType: 'count_overage', account: '758000', accountName: 'Produits divers de gestion courante' },
    { entryType: 'count_shortage', account: '658000', accountName: 'Charges diverses de gestion courante' },
    ...['expense', 'refund', 'correction'].map((entryType) => ({ entryType, ...suspense })),
  ],
  accounts: {
    cash: { account: '530000', accountName: 'Caisse' },
    clearing: {
      account: '411000',
      accountName: 'Clients',
      auxiliary: 'CAISSE',
      auxiliaryName: 'Clients de la caisse',
    },
    tips,
    suspense,
    discount: { account: '709000', accountName: 'Rabais, remises et ristournes accordés' },
    untaxed: { account: '706900', accountName: 'Ventes sans taux de TVA' },
    vouchers: owed,
    deposits: owed,
    debts: { account: '411100', accountName: 'Clients en compte' },
    rounding: { account: '658100', accountName: "Arrondis d'encaissement" },
    overpaid: null,
    unpaid: null,
  },
}
