import { day } from './samples.ts'
import { BusinessDay } from './schemas/business-days.ts'
import { DeviceStatus } from './schemas/device-status.ts'
import type { Module } from '../../core/modules.ts'

declare module '../../core/contract/resources.ts' {
  interface ModuleRecords {
    'device.status': typeof DeviceStatus
  }
  interface ModuleEvents {
    'day.completed': typeof BusinessDay
    'day.revised': typeof BusinessDay
  }
}

export const module: Module = {
  name: 'figures',
  records: { 'device.status': { schema: DeviceStatus } },
  kinds: {
    day: {
      schema: BusinessDay,
      key: 'date',
      events: {
        'day.completed': 'A business day has ended, every active device has closed it, and nothing is missing.',
        'day.revised': 'A business day changed after it was complete.',
      },
      sample: (event) => (event === 'day.revised' ? { ...day, status: 'revised', revision: 1 } : day),
    },
  },
  commands: {
    Data: [{ name: 'day', summary: 'Print a business day as a message', load: () => import('./cli/day.ts') }],
  },
  data: async () => (await import('./data.ts')).data,
  server: async () => (await import('./server.ts')).server,
}
