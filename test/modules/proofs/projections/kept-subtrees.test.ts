import { followClosings } from '../../../../src/modules/proofs/projections/follow.ts'
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createKeyFile, SigningKey } from '../../../../src/modules/proofs/projections/signing-key.ts'
import { ProjectionWorker } from '../../../../src/modules/figures/projections/worker.ts'
import { startApp, type Site } from '../../../support/app.ts'
import { order, orderOf } from '../../../support/records.ts'
import { eventually } from '../../../support/waiting.ts'

const dir = mkdtempSync(join(tmpdir(), 'tillgate-subtrees-'))
after(() => rmSync(dir, { recursive: true }))
const keyFile = join(dir, 'key.pem')
createKeyFile(keyFile)
const signing = { signer: new SigningKey(keyFile), logName: 'tillgate.example' }
const app = await startApp({ signing })
const { pool, context } = app

const sha256 = (...parts: readonly Buffer[]) => hash('sha256', Buffer.concat(parts), 'buffer')

/** Computes MTH of RFC 6962, section 2.1, over entries in hex. */
function treeHash(entries: readonly string[]): Buffer {
  if (entries.length === 1) return sha256(Buffer.of(0), Buffer.from(entries[0] as string, 'hex'))
  let k = 1
  while (2 * k < entries.length) k *= 2
  return sha256(Buffer.of(1), treeHash(entries.slice(0, k)), treeHash(entries.slice(k)))
}

let pushed = 0

async function pushOrders({ id, key }: Site, count: number): Promise<void> {
  const records = Array.from({ length: count }, () => order(orderOf(id, (pushed += 1))))
  await app.store(records, key)
}

async function checkpointOf(site: Site): Promise<{ size: number; root: string }> {
  const answer = await app.request('POST', '/v1/checkpoints/', { key: site.key })
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}

const listKept = ({ id }: Site) =>
  pool<{ level: number; place: number; hash: string }[]>`
    select level, place, hash from tree_nodes where location_id = ${id} order by level, place`

const hashesOf = async ({ id }: Site) => {
  const rows = await pool<{ hash: string }[]>`select hash from journal where location_id = ${id} order by seq`
  return rows.map((row) => row.hash)
}

test('subtrees are stored as entries arrive, from the first checkpoint of a location on', async () => {
  const [site, unsigned] = [await app.addLocation(), await app.addLocation()]
  await pushOrders(site, 20)
  await pushOrders(unsigned, 300)
  await checkpointOf(site)
  assert.equal((await listKept(site)).length, 1)
  const worker = new ProjectionWorker({
    pool,
    hints: context.hints,
    projections: [],
    followers: [followClosings(pool, signing)],
  })
  worker.start()
  try {
    await pushOrders(site, 100)
    context.hints.committed(site.id)
    await pushOrders(site, 4_300)
    context.hints.committed(site.id)
    // 4,096 entries follow the first 16; the remaining ones are added with the next entries.
    await eventually(async () => (await listKept(site)).length >= 257 + 16 + 1, 'subtrees of 4,112 entries')
  } finally {
    await worker.stop()
  }
  const kept = await listKept(site)
  const entries = await hashesOf(site)
  assert.deepEqual(
    kept.map(({ level, place }) => ({
      level,
      place,
      hash: treeHash(entries.slice(place * 2 ** level, (place + 1) * 2 ** level)).toString('hex'),
    })),
    kept,
  )
  assert.deepEqual(await listKept(unsigned), [], 'no proofs were requested there')
  const { size, root } = await checkpointOf(site)
  assert.equal(size, entries.length)
  assert.equal(root, treeHash(entries).toString('base64'))
})
