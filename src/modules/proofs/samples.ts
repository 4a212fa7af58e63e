import type { Checkpoint } from './schemas/checkpoints.ts'
import type { Closing } from './schemas/closings.ts'
import { id, sampleTime } from '../../core/domain/documents/sample-ids.ts'

export const closing: Closing = {
  id: id(95),
  period: 'day',
  number: 1,
  date: '2026-03-14',
  createdAt: sampleTime,
  fromSequence: 1,
  toSequence: 48211,
  entries: 48211,
  first: null,
  last: null,
  currency: 'EUR',
  timeZone: 'Europe/Paris',
  dayStartsAt: '05:00',
  totals: {
    orders: 1,
    salesInclTax: 2400,
    tax: 218,
    salesExclTax: 2182,
    discounts: 0,
    tips: 0,
    refunds: 0,
    canceledSales: 0,
  },
  taxes: [{ rate: 1000, taxable: 2182, tax: 218 }],
  payments: [{ name: 'Carte bancaire', amount: 2400 }],
  days: [{ date: '2026-03-14', salesInclTax: 2400, tax: 218 }],
  reports: [{ id: id(2), number: 1, deviceName: 'Caisse 1', totalSales: 2400 }],
  others: { payments: { names: 0, amount: 0 }, days: { days: 0, salesInclTax: 0, tax: 0 }, reports: 0 },
  perpetual: { orders: 1, salesInclTax: 2400, tax: 218 },
  complete: true,
  waitingFor: [],
  completeUntil: '2026-03-15T03:00:00.000Z',
  previous: null,
}

const origin = `tillgate.example/${id(90)}/5f0c21ab`
const root = 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I='

export const checkpoint: Checkpoint = {
  size: 48211,
  sequence: 48211,
  root,
  origin,
  createdAt: sampleTime,
  note: `${origin}\n48211\n${root}\n\n— ${origin} …\n`,
  keys: [`${origin}+b0a1c2d3+AT8…`],
  rotation: null,
}
