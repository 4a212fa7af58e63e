import type { ModuleData } from '../../core/modules.ts'
import { recordOfTicket, ticketTypeOf, type TicketType } from './ingest/tickets.ts'
import { importing } from './cli/importing.ts'
import { pruneOldNoticesOfSources } from './store/notices.ts'

export const data: ModuleData = {
  reader: {
    typeOf: ticketTypeOf,
    read: (type, read, where) => recordOfTicket(type as TicketType, read, where),
  },
  importing,
  expire: (pool, { noticesFrom }) => pruneOldNoticesOfSources(pool, noticesFrom),
}
