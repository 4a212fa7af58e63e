import type { Module } from '../../core/modules.ts'

export const module: Module = {
  name: 'guides',
  server: async () => (await import('./server.ts')).server,
}
