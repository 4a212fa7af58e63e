import type { ModuleData } from '../../core/modules.ts'
import { recordOfTicket, ticketTypeOf, type TicketType } from './ingest/tickets.ts'
import { importing } from './cli/importing.ts'
import { statusOfSources } from './cli/status.ts'
import { pauseSources } from './store/sources.ts'
import { pruneOldNoticesOfSources } from './store/notices.ts'

export const data: ModuleData = {
  reader: {
    typeOf: ticketTypeOf,
    read: (type, read, where) => recordOfTicket(type as TicketType, read, where),
  },
  importing,
  status: statusOfSources,
  pauseRestored: pauseSources,
  expire: (pool, { noticesFrom }) => pruneOldNoticesOfSources(pool, noticesFrom),
}
