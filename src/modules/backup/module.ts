import { backup } from './settings.ts'
import type { Module } from '../../core/modules.ts'

export const module: Module = {
  name: 'backup',
  settings: backup,
  serves: false,
  commands: {
    Data: [
      { name: 'backup', summary: 'Write, update and verify a backup', load: () => import('./cli/backup.ts') },
      { name: 'restore', summary: 'Restore a backup', load: () => import('./cli/restore.ts') },
    ],
  },
}
