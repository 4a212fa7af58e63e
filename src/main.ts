// Without `await` at the top level, so that bin/tillgate.cjs can require it.
import { runProgram } from './core/cli/terminal/program.ts'

void runProgram(process.argv.slice(2), [
  {
    group: 'Run',
    commands: [
      { name: 'serve', summary: 'Answer the API and deliver webhooks', load: () => import('./core/cli/serve.ts') },
      {
        name: 'demo',
        summary: 'Try it with a simulated restaurant',
        load: () => import('../simulator/cli/demo.ts'),
      },
      {
        name: 'migrate',
        summary: 'Update the tables of the database',
        load: () => import('./core/cli/migrate.ts'),
      },
      {
        name: 'console',
        summary: 'Sign in to the console, and give access to others',
        load: () => import('./modules/console/cli/console.ts'),
      },
      {
        name: 'status',
        summary: 'Show the state of the installation on one screen',
        load: () => import('./modules/operations/cli/status.ts'),
      },
      { name: 'doctor', summary: 'Check this machine and the database', load: () => import('./modules/operations/cli/doctor.ts') },
    ],
  },
  {
    group: 'Set up',
    commands: [
      { name: 'location', summary: 'Create, update and list locations', load: () => import('./core/cli/locations.ts') },
      { name: 'key', summary: 'Create, list, replace and revoke API keys', load: () => import('./core/cli/keys.ts') },
      {
        name: 'webhook',
        summary: 'List, test, replay, stop and resume webhooks',
        load: () => import('./core/cli/webhooks.ts'),
      },
      {
        name: 'source',
        summary: 'Read the sales of another system as they come',
        load: () => import('./modules/sources/cli/source.ts'),
      },
    ],
  },
  {
    group: 'Data',
    commands: [
      { name: 'import', summary: 'Store records from a file', load: () => import('./core/cli/import.ts') },
      {
        name: 'map',
        summary: 'Guess which column of a CSV is what',
        load: () => import('./modules/sources/cli/map.ts'),
      },
      { name: 'export', summary: 'Write all data as records', load: () => import('./modules/exports/cli/export.ts') },
      {
        name: 'backup',
        summary: 'Write, update and verify a backup',
        load: () => import('./modules/backup/cli/backup.ts'),
      },
      {
        name: 'restore',
        summary: 'Fill an empty database from a backup',
        load: () => import('./modules/backup/cli/restore.ts'),
      },
      { name: 'access', summary: 'Show who read which data', load: () => import('./modules/operations/cli/access.ts') },
      {
        name: 'rejected',
        summary: 'List records that were rejected',
        load: () => import('./modules/warnings/cli/rejected.ts'),
      },
      { name: 'day', summary: 'Print a business day as a message', load: () => import('./modules/figures/cli/day.ts') },
      {
        name: 'books',
        summary: 'Booking entries: accounts, previews, batches',
        load: () => import('./modules/books/cli/books.ts'),
      },
      {
        name: 'archive',
        summary: 'Write the archive of a fiscal year',
        load: () => import('./modules/exports/cli/archive.ts'),
      },
      { name: 'year', summary: 'Put closed years aside', load: () => import('./modules/exports/cli/year.ts') },
      {
        name: 'checkpoint',
        summary: 'Sign the journals: keys, checkpoints',
        load: () => import('./modules/proofs/cli/checkpoint.ts'),
      },
      {
        name: 'warnings',
        summary: 'List warnings about stored records',
        load: () => import('./modules/warnings/cli/warnings.ts'),
      },
      { name: 'listen', summary: 'Print live events and forward them', load: () => import('./core/cli/listen.ts') },
      { name: 'verify', summary: 'Verify the journal', load: () => import('./modules/operations/cli/verify.ts') },
      {
        name: 'rebuild',
        summary: 'Make orders, reports and catalog again from the journal',
        load: () => import('./modules/operations/cli/rebuild.ts'),
      },
      {
        name: 'redact',
        summary: "Remove a person's name from every copy",
        load: () => import('./modules/operations/cli/redact.ts'),
      },
      {
        name: 'resume',
        summary: 'Continue after the database went back to an older state',
        load: () => import('./modules/operations/cli/resume.ts'),
      },
      {
        name: 'loss',
        summary: 'List what was acknowledged and is gone',
        load: () => import('./modules/operations/cli/loss.ts'),
      },
      {
        name: 'simulate',
        summary: 'Generate records of simulated restaurants',
        load: () => import('../simulator/cli/simulate.ts'),
      },
    ],
  },
]).then((code) => (process.exitCode = code))
