import type { Command } from 'commander'
import { databaseSettings } from '../config.ts'
import { migrate, schemaVersion } from '../store/db/migrations.ts'
import { withDatabase } from './database.ts'
import { addSettings, finish } from './terminal/options.ts'
import { print, printJson } from './terminal/output.ts'

export function define(command: Command): void {
  addSettings(command, databaseSettings)
    .description('Update the tables of the database. serve and every command that uses data do this automatically.')
    .action(async (flags: { json?: true }) => {
      const { applied, version } = await withDatabase(
        flags,
        async ({ pool }) => ({ applied: await migrate(pool), version: (await schemaVersion(pool)).current }),
        { migrates: false },
      )
      if (flags.json) return printJson({ applied, version })
      for (const name of applied) print(`applied ${name}`)
      if (applied.length === 0) print(`nothing to do: the database is at version ${version}`)
    })
  finish(command, ['migrate', 'migrate --database-url postgres://tillgate@db.example/tillgate --json'])
}
