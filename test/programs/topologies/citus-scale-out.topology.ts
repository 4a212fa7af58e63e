import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { openPool, type Pool } from '../../../src/core/store/db/database.ts'
import { assertSound } from '../../core/ingest/soundness.ts'
import { addKey, addLocation, type Site } from '../../support/app.ts'
import { main, start, type Running } from '../../support/cli.ts'
import { atEnd } from '../../support/database.ts'
import { blocksOf, type Block } from '../../support/guide-blocks.ts'
import { PostgresNode } from '../../support/matrix/postgres-node.ts'
import { freePort } from '../../support/ports.ts'
import { linesOf, order, smallOrderOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

// Runs every block of the page, one after the other, on four nodes with separate addresses, as on the page.
const page = 'docs/operate/scale-out.md'
const blocks = blocksOf(page)
const [port, apiPort] = [await freePort(), await freePort()]
const addresses = [1, 2, 3, 4].map((n) => `127.0.1.${n}`)
const [coordinator, second, , fourth] = addresses as [string, string, string, string]

const folder = await mkdtemp(join(tmpdir(), 'tillgate-scale-out-'))
await chmod(folder, 0o777)
const nodes = addresses.map((_, n) => new PostgresNode(join(folder, `n${n}`), port))
atEnd(async () => {
  await Promise.all(nodes.map((node) => node.stop()))
  await rm(folder, { recursive: true, force: true })
})

const program = join(folder, 'tillgate')
await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, { mode: 0o755 })
const env = { PATH: `${folder}${delimiter}${process.env['PATH']}`, TILLGATE_PORT: String(apiPort) }

/** The location for `<location>`. */
let heavy: Site | undefined

const adapted = (text: string) =>
  text
    .replaceAll(/10\.0\.0\.(\d)(\/?)/g, (_, n, slash) => `127.0.1.${n}${slash === '' ? '' : `:${port}/`}`)
    .replaceAll('5432', String(port))
    .replaceAll('<location>', heavy?.id ?? 'none')

async function startNodes(settings: string): Promise<void> {
  const own = addresses.map((address) => [
    ...settings.split('\n'),
    `listen_addresses = '${address}'`,
    // The nodes are on one machine, without certificates, and have fewer shards, because moving each takes seconds.
    `citus.local_hostname = '${address}'`,
    "citus.node_conninfo = 'sslmode=disable'",
    'citus.shard_count = 8',
  ])
  await Promise.all(nodes.map((node, n) => node.create(own[n])))
  for (const node of nodes) await node.start()
}

async function psql(host: string, database: string, text: string): Promise<string> {
  const place = ['-h', host, '-p', String(port), '-U', 'postgres', '-d', database]
  const input = adapted(text)
  const { code, stdout, stderr } = await start('psql', ['-X', '-v', 'ON_ERROR_STOP=1', ...place], { input }).ended
  assert.equal(code, 0, `${input}\n${stdout}${stderr}`)
  return stdout
}

async function shell(text: string): Promise<string> {
  const { code, stdout, stderr } = await start('bash', ['-c', adapted(text)], { env, cwd: folder }).ended
  assert.equal(code, 0, `${text}\n${stdout}${stderr}`)
  return stdout
}

let pool: Pool
let server: Running
const sites: Site[] = []
const acknowledged = new Map<string, string[]>()
const refused: string[] = []
const pushing: Promise<void>[] = []
let isOver = false

/** Starts the server without waiting for the command to end. From here on tills push, whatever the page does. */
async function serveAndPush(text: string): Promise<void> {
  server = start('bash', ['-c', adapted(text)], { env, cwd: folder })
  const url = `http://127.0.0.1:${apiPort}`
  const answers = () =>
    fetch(`${url}/livez`).then(
      ({ ok }) => ok,
      () => false,
    )
  await eventually(answers, `the server answers: ${server.written.stderr}`, 60_000)
  pool = openPool({ url: `postgres://postgres@${coordinator}:${port}/tillgate` }, { connections: 4, pipelining: true })
  atEnd(() => pool.end({ timeout: 1 }))
  for (let i = 0; i < 12; i++) await addSite(url)
}

/** Creates a location whose till pushes from now on. */
async function addSite(url: string): Promise<Site> {
  const id = await addLocation(pool)
  const site = { id, key: (await addKey(pool, id)).key }
  sites.push(site)
  pushing.push(pushOn(url, site))
  return site
}

async function pushOn(url: string, { id, key }: Site): Promise<void> {
  const headers = { 'content-type': 'application/x-ndjson', 'x-api-key': key }
  for (let n = 1; !isOver; n++) {
    const record = smallOrderOf(id, n)
    const answer = await fetch(`${url}/v1/ingest/`, { method: 'POST', headers, body: linesOf([order(record)]) })
    const text = await answer.text()
    if (answer.status === 200) acknowledged.set(id, [...(acknowledged.get(id) ?? []), record.id])
    else refused.push(`${answer.status} ${text} ${server.written.stderr.slice(-3000)}`)
  }
}

const nodeOf = async (locationId: string) => {
  const [row] = await pool<[{ node: string }]>`
    select nodename as node from pg_dist_shard_placement
    where shardid = get_shard_id_for_distribution_column('locations', ${locationId}::uuid)`
  return row.node
}

/** Chooses the location that the page (docs/operate/scale-out.md) calls heavy: one whose shard is on the second node. */
async function chooseHeavy(): Promise<void> {
  for (const site of sites) if ((await nodeOf(site.id)) === second) heavy ??= site
  // Ids are random, and so is the placement of their shards, so several are tried.
  for (let tries = 0; !heavy && tries < 50; tries++) {
    const site = await addSite(`http://127.0.0.1:${apiPort}`)
    if ((await nodeOf(site.id)) === second) heavy = site
  }
  assert.ok(heavy, `no location lies on ${second}`)
}

async function run({ language, role, text, line }: Block): Promise<string> {
  if (role === 'postgresql.conf') await startNodes(text)
  else if (role === 'serves') await serveAndPush(text)
  else if (language === 'sh') return shell(text)
  else if (role === 'on every node') for (const host of addresses) await psql(host, 'postgres', text)
  else {
    assert.equal(language, 'sql', `${page}:${line}: nothing is done with this block`)
    if (text.includes('<location>')) await chooseHeavy()
    return psql(coordinator, 'tillgate', text)
  }
  return ''
}

/** The output of each block, by the text of the block. */
const printed = new Map<string, string>()

for (const block of blocks) {
  test(`${page}:${block.line} does what the page states: ${block.text.split('\n')[0]}`, async () => {
    printed.set(block.text, await run(block))
  })
}

const printedBy = (word: string) => [...printed].find(([text]) => text.includes(word))?.[1] ?? ''

test('the page has at least nine blocks, and doctor finds the separate URL', () => {
  assert.ok(blocks.length >= 9, String(blocks.length))
  assert.match(printedBy('tillgate doctor'), /notifications and migrations use a separate URL/)
})

test('the new node has shards, and one of the busiest locations is on it alone', async () => {
  const placed = await pool<{ node: string }[]>`select distinct nodename as node from pg_dist_shard_placement`
  assert.ok(
    placed.some(({ node }) => node === fourth),
    JSON.stringify(placed),
  )
  assert.match(printedBy('citus_stat_tenants'), new RegExp(sites.map(({ id }) => id).join('|')))
  assert.equal(await nodeOf(heavy?.id ?? ''), fourth)
  const others = await pool<{ id: string }[]>`
    select id from locations
    where get_shard_id_for_distribution_column('locations', id) =
      get_shard_id_for_distribution_column('locations', ${heavy?.id ?? ''}::uuid)`
  assert.deepEqual(
    others.map(({ id }) => id),
    [heavy?.id],
  )
})

test('every push during the move was acknowledged and stored', async () => {
  isOver = true
  await Promise.all(pushing)
  assert.deepEqual(refused, [])
  for (const { id } of sites) {
    const stored = new Set((await assertSound(pool, id)).map((entry) => entry.id))
    const acked = acknowledged.get(id) ?? []
    assert.ok(acked.length > 0)
    for (const one of acked) assert.ok(stored.has(one), `${one} was acknowledged and is gone`)
  }
})

test('the server shuts down cleanly', async () => {
  server.child.kill('SIGTERM')
  const { code, stderr } = await server.ended
  assert.equal(code, 0, stderr)
})
