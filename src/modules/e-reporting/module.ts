import type { Module } from '../../core/modules.ts'

export const module: Module = {
  name: 'e-reporting',
  server: async () => (await import('./server.ts')).server,
}
