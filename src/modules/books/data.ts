import type { ModuleData } from '../../core/modules.ts'
import { cashNamesOf } from './domain/accounts.ts'
import { getBookAccounts, putBookAccounts } from './store/book-accounts.ts'
import { putBatch } from './store/batches.ts'

export const data: ModuleData = {
  cashNames: async (sql, locationId) => cashNamesOf((await getBookAccounts(sql, locationId)).own),
  replay: {
    accounts: (sql, locationId, { seq, document }) => putBookAccounts(sql, locationId, seq, document),
    batch: (sql, locationId, { seq, document }) => putBatch(sql, locationId, seq, document),
  },
}
