import { bookAccountRoutes } from './http/accounts.ts'
import { bookBatchRoutes } from './http/batches.ts'
import { bookEntryRoutes } from './http/entries.ts'
import { BookAccounts } from './schemas/books-accounts.ts'
import {
  BookBatch,
  BookBatchList,
  BookDayList,
  BookingEntriesOfSource,
  BookingEntry,
  BookingEntryList,
  BookHindrance,
  BookUnmapped,
  NoBookBatch,
} from './schemas/books.ts'
import type { ModuleServer } from '../../core/modules.ts'

export const server: ModuleServer = {
  routes(app, context) {
    bookAccountRoutes(app, context)
    bookEntryRoutes(app, context)
    bookBatchRoutes(app, context)
  },
  schemas: {
    BookingEntry,
    BookAccounts,
    BookBatch,
    BookBatchList,
    BookDayList,
    BookingEntriesOfSource,
    BookingEntryList,
    BookHindrance,
    BookUnmapped,
    NoBookBatch,
  },
}
