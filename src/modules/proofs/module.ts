import { checkpoint, closing } from './samples.ts'
import { Checkpoint } from './schemas/checkpoints.ts'
import { Closing } from './schemas/closings.ts'
import type { Module } from '../../core/modules.ts'

declare module '../../core/contract/resources.ts' {
  interface ModuleEvents {
    'closing.created': typeof Closing
    'checkpoint.created': typeof Checkpoint
  }
}

export const module: Module = {
  name: 'proofs',
  kinds: {
    closing: {
      schema: Closing,
      key: 'id',
      events: { 'closing.created': 'A business day, month or fiscal year was closed.' },
      sample: () => closing,
    },
    checkpoint: {
      schema: Checkpoint,
      key: 'size',
      events: { 'checkpoint.created': 'A checkpoint of the journal was signed.' },
      sample: () => checkpoint,
    },
  },
  commands: {
    Data: [
      {
        name: 'checkpoint',
        summary: 'Sign journals: keys and checkpoints',
        load: () => import('./cli/checkpoint.ts'),
      },
    ],
  },
  data: async () => (await import('./data.ts')).data,
  server: async () => (await import('./server.ts')).server,
}
