import assert from 'node:assert/strict'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tillgate, tillgateJson, toUrl } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { newDirectory } from '../backup/support.ts'

test('a restore of one location makes no statement about the rest of the backup, whose files may be damaged', async () => {
  const source = await createDatabase()
  const at = ['--database-url', toUrl(source.connection)]
  const ids: string[] = []
  for (const name of ['One', 'Two'])
    ids.push((await tillgateJson(['location', 'create', '--name', name, ...at])).id as string)
  const dir = newDirectory()
  await tillgateJson(['backup', dir, ...at])
  // A file of the other location is damaged.
  const folder = join(dir, 'locations', ids[1] as string)
  const file = readdirSync(folder).find((name) => name.startsWith('tables-')) ?? assert.fail('no tables')
  rmSync(join(folder, file))
  writeFileSync(join(folder, file), 'damaged')
  const restore = async (...more: string[]) => {
    const target = await createDatabase()
    return tillgate(['restore', dir, ...more, '--database-url', toUrl(target.connection)])
  }
  const one = await restore('--location', ids[0] as string)
  assert.equal(one.code, 0, one.stderr)
  assert.match(one.stderr, /The restored data is intact, /)
  assert.doesNotMatch(one.stderr, /The backup is intact/)
  const all = await restore()
  assert.notEqual(all.code, 0)
  assert.doesNotMatch(all.stderr, /intact/)
})
