import type { ModuleData } from '../../core/modules.ts'
import { cashNamesOf } from './domain/accounts.ts'
import { getBookAccounts, putBookAccounts } from './store/book-accounts.ts'
import { reportSums } from './domain/sources.ts'
import type { BookSums } from './domain/sums.ts'
import { findBookSums, putBookDays, putBookSums } from './store/sums.ts'
import { findBooksFault, putBatch } from './store/batches.ts'

export const data: ModuleData = {
  findFault: findBooksFault,
  cashNames: async (sql, locationId) => cashNamesOf((await getBookAccounts(sql, locationId)).own),
  sumsOfReports: {
    of: reportSums,
    find: findBookSums,
    put: (sql, place, sums, seq) => putBookSums(sql, place, sums as BookSums[], seq),
    putDays: putBookDays,
  },
  replay: {
    accounts: (sql, locationId, { seq, document }) => putBookAccounts(sql, locationId, seq, document),
    batch: (sql, locationId, { seq, document }) => putBatch(sql, locationId, seq, document),
  },
}
