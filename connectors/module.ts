import type { Module } from '../src/core/modules.ts'

export const module: Module = {
  name: 'connectors',
  data: async () => (await import('./data.ts')).data,
}
