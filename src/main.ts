// Without `await` at the top level, so that bin/tillgate.cjs can require it.
import { runProgram } from './cli/terminal/program.ts'

void runProgram(process.argv.slice(2), [
  {
    group: 'Run',
    commands: [
      { name: 'serve', summary: 'Answer the API and deliver webhooks', load: () => import('./cli/serve.ts') },
      {
        name: 'demo',
        summary: 'See it at work with a restaurant that sells',
        load: () => import('./cli/demo.ts'),
      },
      {
        name: 'migrate',
        summary: 'Bring the tables of the database up to date',
        load: () => import('./cli/migrate.ts'),
      },
      { name: 'console', summary: 'Open the console, and let others in', load: () => import('./cli/console.ts') },
      { name: 'status', summary: 'See how it stands, on one screen', load: () => import('./cli/status.ts') },
      { name: 'doctor', summary: 'Check this machine and the database', load: () => import('./cli/doctor.ts') },
    ],
  },
  {
    group: 'Set up',
    commands: [
      { name: 'location', summary: 'Create, update and list locations', load: () => import('./cli/locations.ts') },
      { name: 'key', summary: 'Create, list, replace and revoke API keys', load: () => import('./cli/keys.ts') },
      {
        name: 'webhook',
        summary: 'See, test, replay, stop and resume webhooks',
        load: () => import('./cli/webhooks.ts'),
      },
    ],
  },
  {
    group: 'Data',
    commands: [
      { name: 'import', summary: 'Store records from a file', load: () => import('./cli/import.ts') },
      { name: 'export', summary: 'Write all data as records', load: () => import('./cli/export.ts') },
      {
        name: 'backup',
        summary: 'Write a backup, bring it up to date, prove it',
        load: () => import('./cli/backup.ts'),
      },
      { name: 'restore', summary: 'Fill an empty database from a backup', load: () => import('./cli/restore.ts') },
      { name: 'access', summary: 'See who read what', load: () => import('./cli/access.ts') },
      { name: 'rejected', summary: 'See what tills sent that was not stored', load: () => import('./cli/rejected.ts') },
      { name: 'warnings', summary: 'See what tills were warned of', load: () => import('./cli/warnings.ts') },
      { name: 'listen', summary: 'Print live events and forward them', load: () => import('./cli/listen.ts') },
      { name: 'verify', summary: 'Prove that the journal is whole', load: () => import('./cli/verify.ts') },
      {
        name: 'redact',
        summary: 'Blank what names a person, in every copy',
        load: () => import('./cli/redact.ts'),
      },
      {
        name: 'resume',
        summary: 'Go on after the database went back to an older state',
        load: () => import('./cli/resume.ts'),
      },
      {
        name: 'simulate',
        summary: 'Make records of restaurants, to load and to test',
        load: () => import('./cli/simulate.ts'),
      },
    ],
  },
]).then((code) => (process.exitCode = code))
