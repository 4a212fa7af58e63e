import { accounts, batch } from './samples.ts'
import { BookAccountsVersion } from './schemas/books-accounts.ts'
import { BookBatch } from './schemas/books.ts'
import type { Module } from '../../core/modules.ts'

declare module '../../core/contract/resources.ts' {
  interface ModuleEvents {
    'accounts.updated': typeof BookAccountsVersion
    'batch.created': typeof BookBatch
  }
}

export const module: Module = {
  name: 'books',
  scopes: ['books'],
  kinds: {
    accounts: {
      schema: BookAccountsVersion,
      key: null,
      events: { 'accounts.updated': 'The accounts of the location changed.' },
      sample: () => accounts,
    },
    batch: {
      schema: BookBatch,
      key: 'number',
      events: { 'batch.created': 'A batch of booking entries was issued.' },
      sample: () => batch,
    },
  },
  commands: {
    Data: [
      { name: 'books', summary: 'Booking entries: accounts, previews, batches', load: () => import('./cli/books.ts') },
    ],
  },
  data: async () => (await import('./data.ts')).data,
  server: async () => (await import('./server.ts')).server,
}
