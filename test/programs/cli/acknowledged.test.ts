import assert from 'node:assert/strict'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createDataDir, serve, stop, tillgate, tillgateJson, toUrl, type Served } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { smallOrderOf } from '../../support/records.ts'
import { run } from '../../support/tools.ts'

const dataDir = await createDataDir({ filled: true })
const env = { TILLGATE_DATA_DIR: dataDir, TILLGATE_OPERATIONS_ADDRESS: 'off' }
const cluster = join(dataDir, 'postgres')
const { id: location } = await tillgateJson(['location', 'create', '--name', 'Bistro'], { env })
const { key } = await tillgateJson(['key', 'create', '--location', location, '--scope', 'ingest', '--name', 'till'], {
  env,
})

async function push(url: string, n: number, of = { id: location, key }): Promise<{ status: number; body: any }> {
  const body = JSON.stringify({ type: 'order', data: smallOrderOf(of.id, n) })
  const headers = { 'x-api-key': of.key, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/v1/ingest/`, { method: 'POST', headers, body })
  return { status: answer.status, body: await answer.json() }
}

async function serving<T>(work: (served: Served) => Promise<T>): Promise<T> {
  const served = await serve([], { env })
  try {
    return await work(served)
  } finally {
    assert.equal((await stop(served)).code, 0)
  }
}

/** Checks that `verify` finds nothing missing. */
async function assertVerified(): Promise<void> {
  const { code, stdout, stderr } = await tillgate(['verify'], { env })
  assert.equal(code, 0, stdout + stderr)
}

describe('a cluster restored to an earlier state', () => {
  test('is reported by verify and at start-up, and accepts no pushes until it has resumed', async () => {
    // The location is entry 1, so the orders are 2 and 3.
    await serving(async ({ url }) => {
      for (const n of [1, 2]) assert.equal((await push(url, n)).status, 200)
    })
    // The files of a server as restored from a file backup, with their owners.
    await run('cp', ['-a', cluster, `${cluster}.older`])
    await serving(async ({ url }) => {
      for (const n of [3, 4, 5]) assert.equal((await push(url, n)).status, 200)
    })
    assert.equal(await readFile(join(dataDir, 'postgres.heads'), 'utf8'), `${location} 6\n`)
    await assertVerified()
    await rename(cluster, join(dataDir, 'postgres.newer'))
    await rename(`${cluster}.older`, cluster)

    const { code, stdout } = await tillgate(['verify'], { env })
    assert.equal(code, 1)
    assert.equal(
      stdout,
      `broken    ${location}  the journal ends at 3, but entries up to 6 were acknowledged: the database was restored to an earlier state\n`,
    )
    await serving(async ({ url, written }) => {
      assert.match(written.stderr, /"seen":6,"head":3/)
      const { status, body } = await push(url, 6)
      assert.deepEqual([status, body.code], [503, 'journal_rewound'])
      await tillgateJson(['resume', '--location', location, '--yes'], { env })
      assert.equal((await push(url, 6)).status, 200)
    })
    await assertVerified()
  })

  test('is not replaced by an empty one if it is missing', async () => {
    await rename(cluster, join(dataDir, 'postgres.away'))
    const { code, stderr } = await tillgate(['location', 'list'], { env })
    assert.equal(code, 2)
    assert.match(stderr, /postgres is missing, including the journal of a location\. Put the directory back/)
    await rename(join(dataDir, 'postgres.away'), cluster)
    assert.equal((await tillgateJson(['location', 'list'], { env })).length, 1)
  })

  test('is reported if it lost a whole location, unless that was deleted', async () => {
    await run('cp', ['-a', cluster, `${cluster}.older`])
    const { id: second } = await tillgateJson(['location', 'create', '--name', 'Second'], { env })
    const made = await tillgateJson(['key', 'create', '--location', second, '--scope', 'ingest', '--name', 'till'], {
      env,
    })
    await serving(async ({ url }) => {
      assert.equal((await push(url, 1, { id: second, key: made.key })).status, 200)
    })
    await rename(cluster, join(dataDir, 'postgres.latest'))
    await rename(`${cluster}.older`, cluster)
    const { code, stdout } = await tillgate(['verify'], { env })
    assert.equal(code, 1)
    assert.match(
      stdout,
      new RegExp(
        `^broken {4}${second} {2}the location is not in the database, but entries up to 2 were acknowledged`,
        'm',
      ),
    )

    await rename(cluster, `${cluster}.older`)
    await rename(join(dataDir, 'postgres.latest'), cluster)
    await tillgate(['location', 'deactivate', second], { env })
    await tillgate(['location', 'delete', second, '--confirm', 'Second', '--grace', '0'], { env })
    await assertVerified()
  })
})

test('an external database restored to an earlier state is recognized by the directory of acknowledged positions', async () => {
  const { connection } = await createDatabase()
  const kept = await createDataDir()
  const own = { DATABASE_URL: toUrl(connection), TILLGATE_HEADS_DIR: kept, TILLGATE_OPERATIONS_ADDRESS: 'off' }
  const { id } = await tillgateJson(['location', 'create', '--name', 'Elsewhere'], { env: own })
  const made = await tillgateJson(['key', 'create', '--location', id, '--scope', 'ingest'], { env: own })
  const served = await serve(['--processes', '2'], { env: own })
  for (const n of [1, 2]) assert.equal((await push(served.url, n, { id, key: made.key })).status, 200)
  assert.equal((await stop(served)).code, 0)
  assert.equal(await readFile(join(kept, 'postgres.heads'), 'utf8'), `${id} 3\n`)
  // As with a standby that was promoted without the last entries.
  await writeFile(join(kept, 'postgres.heads'), `${id} 7\n`)
  const verified = await tillgate(['verify'], { env: own })
  assert.equal(verified.code, 1)
  assert.match(verified.stdout, /the journal ends at 3, but entries up to 7 were acknowledged/)
  const again = await serve([], { env: own })
  assert.equal((await push(again.url, 3, { id, key: made.key })).body.code, 'journal_rewound')
  await tillgateJson(['resume', '--location', id, '--yes'], { env: own })
  assert.equal((await push(again.url, 3, { id, key: made.key })).status, 200)
  assert.equal((await stop(again)).code, 0)
  const { code } = await tillgate(['verify'], { env: own })
  assert.equal(code, 0)
})
