import type { BookAccountsVersion } from './schemas/books-accounts.ts'
import type { BookBatch } from './schemas/books.ts'
import { id, sampleTime } from '../../core/domain/documents/sample-ids.ts'

export const accounts: BookAccountsVersion = {
  version: 3,
  own: { layout: 'direct', payments: [{ name: 'Livréo', account: '467100', accountName: 'Livréo' }] },
}

const noAuxiliary = { auxiliary: null, auxiliaryName: null }

export const batch: BookBatch = {
  number: 1,
  createdAt: sampleTime,
  until: '2026-03-14',
  accountsVersion: 3,
  sequence: 48211,
  currency: 'EUR',
  timeZone: 'Europe/Paris',
  siren: '732829320',
  entries: [
    {
      id: id(2),
      source: {
        type: 'report',
        reportId: id(2),
        reportNumber: 358,
        deviceName: 'Caisse 1',
        sequence: 48210,
      },
      state: 'issued',
      journal: { code: 'CA', name: 'Journal de caisse' },
      date: '2026-03-14',
      pieceRef: 'Z358',
      pieceDate: '2026-03-14',
      currency: 'EUR',
      lines: [
        {
          account: '511500',
          accountName: 'Cartes bancaires à encaisser',
          ...noAuxiliary,
          label: 'Encaissement Carte bancaire',
          debit: 2400,
          credit: 0,
          role: 'payment',
          key: 'Carte bancaire',
        },
        {
          account: '706100',
          accountName: 'Ventes 10 %',
          ...noAuxiliary,
          label: 'Ventes 10 %',
          debit: 0,
          credit: 2182,
          role: 'revenue',
          key: '1000',
        },
        {
          account: '44571100',
          accountName: 'TVA collectée 10 %',
          ...noAuxiliary,
          label: 'TVA 10 %',
          debit: 0,
          credit: 218,
          role: 'tax',
          key: '1000',
        },
      ],
      totals: { debit: 2400, credit: 2400 },
      accountsVersion: 3,
      hash: '0'.repeat(64),
      number: 'CA-2026-000001',
      batch: 1,
      reverses: null,
      warnings: [],
    },
  ],
  accepted: [],
  skipped: [],
  hasMore: false,
}
