import assert from 'node:assert/strict'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { chooseOld } from '../../../src/modules/backup/format/prune.ts'
import { startApp } from '../../support/app.ts'
import { commandsOn } from '../../support/cli.ts'
import { everyRecord } from '../../support/records.ts'
import { offline } from '../cli/shop.ts'
import { backUp, newDirectory } from './support.ts'

const app = await startApp()
await app.store(everyRecord(app.location))
const { run, json, refuses } = commandsOn({ env: offline })
const day = 86_400_000
const now = Date.now()

async function newParent(ages: readonly number[]) {
  const parent = newDirectory()
  for (const age of ages) await backUp(app.pool, join(parent, `${age}-days`), { now: new Date(now - age * day) })
  return parent
}

test('of several backups the newest are kept, by number or by age, and always at least one', () => {
  const backups = [1, 2, 10, 40].map((age) => ({ name: `${age}`, takenAt: now - age * day }))
  const goes = (keep: Parameters<typeof chooseOld>[1]) =>
    chooseOld(backups, keep, new Date(now)).map(({ name }) => name)
  assert.deepEqual(goes({ count: 2 }), ['10', '40'])
  assert.deepEqual(goes({ count: 9 }), [])
  assert.deepEqual(goes({ ms: 5 * day }), ['10', '40'])
  assert.deepEqual(goes({ ms: 1_000 }), ['2', '10', '40'], 'the newest stays, however old it is')
})

test('backup prune deletes old backups and names them; it keeps other directories, and those with other files', async () => {
  const parent = await newParent([1, 2, 10, 40])
  const outside = newDirectory()
  await backUp(app.pool, outside, { now: new Date(now - 90 * day) })
  await symlink(outside, join(parent, 'linked'))
  await mkdir(join(parent, 'other'))
  await writeFile(join(parent, '40-days', 'notes.txt'), 'keep me')
  await writeFile(join(parent, 'file'), '')
  const dry = await run`backup prune ${parent} --keep 2 --dry-run`
  assert.equal(dry.code, 0, dry.stderr)
  assert.match(dry.stdout, new RegExp(`^would remove {2}${parent}/10-days {2}\\S+\\n$`))
  assert.equal((await readdir(parent)).length, 7)
  const { code, stdout, stderr } = await run`backup prune ${parent} --keep 2`
  assert.equal(code, 0, stderr)
  assert.match(stdout, new RegExp(`^removed {2}${parent}/10-days {2}\\S+\\n$`))
  assert.match(stderr, /40-days contains notes.txt/)
  assert.match(stderr, /other has no manifest.json/)
  assert.deepEqual((await readdir(parent)).toSorted(), ['1-days', '2-days', '40-days', 'file', 'linked', 'other'])
  assert.ok((await readdir(outside)).includes('manifest.json'))
  const { removed } = await json`backup prune ${parent} --keep 36h`
  assert.deepEqual(
    removed.map(({ name }: { name: string }) => name),
    ['2-days'],
  )
})

test('a single backup cannot be pruned, and the argument is a number or a duration', async () => {
  const parent = await newParent([1])
  await refuses(/"backup_invalid"/)`backup prune ${join(parent, '1-days')} --keep 2 --json`
  for (const keep of ['0', '-1', 'all', '0d']) await refuses(/"usage"/)`backup prune ${parent} --keep=${keep} --json`
})
