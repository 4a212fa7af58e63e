import type { BusinessDay } from './schemas/business-days.ts'
import { at, id } from '../../core/domain/documents/sample-ids.ts'

export const day: BusinessDay = {
  date: '2026-03-14',
  status: 'complete',
  revision: 0,
  isComplete: true,
  startsAt: at('04:00:00'),
  endsAt: '2026-03-15T04:00:00.000Z',
  balanced: true,
  sales: { orders: 1, salesInclTax: 2400, tax: 218, salesExclTax: 2182 },
  reports: [
    { reportId: id(2), reportNumber: 1, deviceName: 'Caisse 1', finalizedAt: at('23:05:00'), verdict: 'balanced' },
  ],
  missingReports: [],
  orders: { missing: [], open: [], extra: [], unreported: 0 },
  waitingFor: [],
}
