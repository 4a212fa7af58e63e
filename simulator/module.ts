import type { Module } from '../src/core/modules.ts'

export const module: Module = {
  name: 'simulator',
  commands: {
    Run: [{ name: 'demo', summary: 'Try Tillgate with a simulated restaurant', load: () => import('./cli/demo.ts') }],
    Data: [
      {
        name: 'listen',
        summary: 'Print live events and forward them',
        isAlone: true,
        load: () => import('./cli/listen.ts'),
      },
      {
        name: 'simulate',
        summary: 'Generate records of simulated restaurants',
        load: () => import('./cli/simulate.ts'),
      },
    ],
  },
  data: async () => (await import('./data.ts')).data,
}
