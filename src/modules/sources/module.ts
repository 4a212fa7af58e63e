import { sourceDifference } from './samples.ts'
import { SourceDifference } from './schemas/sources.ts'
import { Closing, Ticket } from './schemas/tickets.ts'
import { sources } from './settings.ts'
import type { Module } from '../../core/modules.ts'

declare module '../../core/contract/resources.ts' {
  interface ModuleEvents {
    'source.differs': typeof SourceDifference
  }
}

export const module: Module = {
  name: 'sources',
  settings: sources,
  pushed: { ticket: Ticket, closing: Closing },
  kinds: {
    source: {
      schema: SourceDifference,
      key: 'id',
      events: {
        'source.differs': 'A business day differs from the totals of the source, even after it was read again.',
      },
      sample: () => sourceDifference,
    },
  },
  commands: {
    'Set up': [
      {
        name: 'source',
        summary: 'Read sales of a point-of-sale system continuously',
        load: () => import('./cli/source.ts'),
      },
    ],
    Data: [
      {
        name: 'map',
        summary: 'Suggest a column map for CSV files',
        isAlone: true,
        load: () => import('./cli/map.ts'),
      },
    ],
  },
  data: async () => (await import('./data.ts')).data,
  server: async () => (await import('./server.ts')).server,
}
