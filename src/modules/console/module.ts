import type { Module } from '../../core/modules.ts'

export const module: Module = {
  name: 'console',
  commands: {
    Run: [
      {
        name: 'console',
        summary: 'Sign in to the console, and give other people access',
        isAlone: true,
        load: () => import('./cli/console.ts'),
      },
    ],
  },
  data: async () => (await import('./data.ts')).data,
  server: async () => (await import('./server.ts')).server,
}
