import type { Module } from '../../core/modules.ts'

export const module: Module = {
  name: 'exports',
  commands: {
    Data: [
      {
        name: 'export',
        summary: 'Write locations, catalogs, orders and reports as records',
        load: () => import('./cli/export.ts'),
      },
      { name: 'archive', summary: 'Write the archive of a fiscal year', load: () => import('./cli/archive.ts') },
      { name: 'year', summary: 'Archive closed years', load: () => import('./cli/year.ts') },
    ],
  },
  data: async () => (await import('./data.ts')).data,
  server: async () => (await import('./server.ts')).server,
}
