import { warnings } from './schemas/warnings.ts'
import type { Module } from '../../core/modules.ts'

export const module: Module = {
  name: 'warnings',
  warnings,
  commands: {
    Data: [
      {
        name: 'rejected',
        summary: 'List rejected records',
        isAlone: true,
        load: () => import('./cli/rejected.ts'),
      },
      {
        name: 'warnings',
        summary: 'List warnings about stored records',
        isAlone: true,
        load: () => import('./cli/warnings.ts'),
      },
    ],
  },
  data: async () => (await import('./data.ts')).data,
  server: async () => (await import('./server.ts')).server,
}
