import type { ModuleData } from '../../core/modules.ts'
import { readStoredOrder } from '../../core/domain/documents/stored-documents.ts'
import { warnOfReusedId } from './domain/reused-ids.ts'
import { Warner } from './ingest/warner.ts'

export const data: ModuleData = {
  watcher: (pool, clock, notices) => new Warner(pool, clock, notices),
  warnOfReplaced: (type, document, before) =>
    type === 'order' ? warnOfReusedId(readStoredOrder(document), readStoredOrder(before)) : undefined,
}
