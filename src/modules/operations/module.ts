import type { Module } from '../../core/modules.ts'

export const module: Module = {
  name: 'operations',
  commands: {
    'Set up': [
      {
        name: 'webhook',
        summary: 'List, test, replay, disable and resume webhooks',
        load: () => import('./cli/webhooks.ts'),
      },
    ],
    Run: [
      {
        name: 'status',
        summary: 'Show the state of the installation',
        load: () => import('./cli/status.ts'),
      },
      { name: 'doctor', summary: 'Check this machine and the database', load: () => import('./cli/doctor.ts') },
    ],
    Data: [
      { name: 'access', summary: 'Show who read which data', isAlone: true, load: () => import('./cli/access.ts') },
      { name: 'verify', summary: 'Verify the journal', load: () => import('./cli/verify.ts') },
      {
        name: 'rebuild',
        summary: 'Rebuild orders, reports and catalog from the journal',
        load: () => import('./cli/rebuild.ts'),
      },
      { name: 'redact', summary: 'Blank personal data in the database', load: () => import('./cli/redact.ts') },
      {
        name: 'resume',
        summary: 'Continue after the database was restored to an earlier state',
        load: () => import('./cli/resume.ts'),
      },
      {
        name: 'loss',
        summary: 'List and acknowledge lost entries',
        isAlone: true,
        load: () => import('./cli/loss.ts'),
      },
    ],
  },
  data: async () => (await import('./data.ts')).data,
  server: async () => (await import('./server.ts')).server,
}
