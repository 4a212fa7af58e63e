import type { Deductions } from '../schemas/deductions.ts'
import type { MessageLanguage } from '../schemas/day-message.ts'
import type { BusinessDay } from '../schemas/business-days.ts'

/** The texts of a message in one language. */
export type Words = {
  /** Between a name and its value. */
  colon: string
  sales: string
  tax: string
  orders: string
  guests: string
  average: string
  compared: string
  lastWeek: string
  lastYear: string
  fourWeeks: string
  nothingThen: string
  noData: string
  payments: string
  taxes: string
  rateUnknown: string
  takenOff: string
  tooManyOrders: string
  none: string
  deductions: Record<keyof Deductions['totals'], string>
  closing: string
  report: (number: number, device: string) => string
  verdicts: Record<BusinessDay['reports'][number]['verdict'], string>
  noReports: string
  noSales: string
  missingReport: (number: number, device: string) => string
  waitingFor: (device: string) => string
  missingOrders: (count: string) => string
  openOrders: (count: string) => string
  extraOrders: (count: string) => string
  unreported: (count: string) => string
  more: (count: string) => string
  atLeast: (count: string) => string
  isComplete: string
  isIncomplete: string
  lookAtIt: string
}

export const words: Record<MessageLanguage, Words> = {
  en: {
    colon: ': ',
    sales: 'Sales incl. tax',
    tax: 'of which VAT',
    orders: 'Orders',
    guests: 'Guests',
    average: 'Average order',
    compared: 'Compared with other days',
    lastWeek: 'Same day last week',
    lastYear: 'Same weekday last year',
    fourWeeks: 'Average of four weeks',
    nothingThen: 'nothing sold',
    noData: 'no data',
    payments: 'Payments',
    taxes: 'VAT: net + tax',
    rateUnknown: 'rate not stated',
    takenOff: 'Deductions',
    tooManyOrders: 'Too many orders to list here: see the console.',
    none: 'none',
    deductions: {
      orderCanceled: 'Canceled orders',
      itemCanceled: 'Canceled items',
      loss: 'Losses',
      discount: 'Discounts',
    },
    closing: 'Closing of the tills',
    report: (number, device) => `Z ${number}, ${device}`,
    verdicts: {
      balanced: 'agrees with its orders',
      unbalanced: 'DOES NOT AGREE with its orders',
      waiting: 'waits for orders',
    },
    noReports: 'No Z report yet.',
    noSales: 'No sales and no Z report.',
    missingReport: (number, device) => `Z report ${number} of ${device} is missing.`,
    waitingFor: (device) => `${device} has not closed the day.`,
    missingOrders: (count) => `In a Z report but missing: ${count}.`,
    openOrders: (count) => `In a Z report but still open: ${count}.`,
    extraOrders: (count) => `Not listed by the Z report they refer to: ${count}.`,
    unreported: (count) => `Not in a Z report: ${count}.`,
    more: (count) => `And ${count} more.`,
    atLeast: (count) => `at least ${count}`,
    isComplete: 'The day is complete.',
    isIncomplete: 'The day is not complete.',
    lookAtIt: 'to check',
  },
  fr: {
    colon: '\u00a0: ',
    sales: 'CA TTC',
    tax: 'dont TVA',
    orders: 'Commandes',
    guests: 'Couverts',
    average: 'Ticket moyen',
    compared: 'Comparé à d’autres jours',
    lastWeek: 'Même jour la semaine dernière',
    lastYear: 'Même jour de la semaine, un an avant',
    fourWeeks: 'Moyenne sur quatre semaines',
    nothingThen: 'rien de vendu',
    noData: 'pas de données',
    payments: 'Règlements',
    taxes: 'TVA\u00a0: HT + taxe',
    rateUnknown: 'taux non indiqué',
    takenOff: 'Annulations, pertes et remises',
    tooManyOrders: 'Trop de commandes pour les lister ici\u00a0: voir la console.',
    none: 'aucune',
    deductions: {
      orderCanceled: 'Commandes annulées',
      itemCanceled: 'Lignes annulées',
      loss: 'Pertes',
      discount: 'Remises',
    },
    closing: 'Clôture par les caisses',
    report: (number, device) => `Z ${number}, ${device}`,
    verdicts: {
      balanced: 'conforme à ses commandes',
      unbalanced: 'NON CONFORME à ses commandes',
      waiting: 'attend des commandes',
    },
    noReports: 'Pas encore de Z.',
    noSales: 'Ni vente ni Z.',
    missingReport: (number, device) => `Le Z ${number} de ${device} manque.`,
    waitingFor: (device) => `${device} n’a pas clôturé la journée.`,
    missingOrders: (count) => `Citées par un Z, mais absentes\u00a0: ${count}.`,
    openOrders: (count) => `Citées par un Z, mais encore ouvertes\u00a0: ${count}.`,
    extraOrders: (count) => `Absentes du Z auquel elles renvoient\u00a0: ${count}.`,
    unreported: (count) => `Dans aucun Z\u00a0: ${count}.`,
    more: (count) => `Et ${count} de plus.`,
    atLeast: (count) => `au moins ${count}`,
    isComplete: 'La journée est complète.',
    isIncomplete: 'La journée n’est pas complète.',
    lookAtIt: 'à vérifier',
  },
}
