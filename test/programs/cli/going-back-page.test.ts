import assert from 'node:assert/strict'
import { chmod, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createDataDir, main, serve, start, stop, tillgate, tillgateJson, type Served } from '../../support/cli.ts'
import { atEnd } from '../../support/database.ts'
import { blocksOf } from '../../support/guide-blocks.ts'
import { linesOf, order, orderOf } from '../../support/records.ts'

const scratch = await mkdtemp(join(tmpdir(), 'tillgate-page-'))
atEnd(() => rm(scratch, { recursive: true }))
await writeFile(join(scratch, 'tillgate'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
await chmod(join(scratch, 'tillgate'), 0o755)

const blocks = blocksOf('docs/operate/going-back.md')

/** Runs a block of the page unchanged; it must begin with this text. */
async function runBlock(beginning: string, env: Record<string, string>): Promise<string> {
  const block = blocks.find(({ language, text }) => language === 'sh' && text.startsWith(beginning))
  assert.ok(block, `the page has a block that begins with ${beginning}`)
  const path = `${scratch}:${process.env['PATH']}`
  const ended = await start('/bin/sh', ['-e', '-c', block.text], { env: { ...env, PATH: path } }).ended
  assert.equal(ended.code, 0, `${block.text}\n${ended.stdout}${ended.stderr}`)
  return ended.stdout + ended.stderr
}

type Site = { id: string; key: string; keyId: string }

async function push({ url }: Served, site: Site, n: number, key = site.key) {
  const answer = await fetch(`${url}/v1/ingest/`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/x-ndjson' },
    body: linesOf([order(orderOf(site.id, n))]),
  })
  return { status: answer.status, body: (await answer.json()) as any }
}

async function eventsOf({ url }: Served, { key }: Site): Promise<[id: string, text: string][]> {
  const answer = await fetch(`${url}/v1/events/?limit=1000`, { headers: { 'x-api-key': key } })
  const { data } = (await answer.json()) as { data: { id: string }[] }
  return data.map((event) => [event.id, JSON.stringify(event)])
}

async function installation() {
  const dataDir = await createDataDir({ filled: true })
  const env = {
    TILLGATE_DATA_DIR: dataDir,
    TILLGATE_OPERATIONS_ADDRESS: 'off',
    BACKUP: join(dataDir, '../', `b-${Math.random()}`),
  }
  atEnd(() => rm(env.BACKUP, { recursive: true, force: true }))
  const made = async (name: string): Promise<Site> => {
    const { id } = await tillgateJson(['location', 'create', '--name', name], { env })
    const { id: keyId, key } = await tillgateJson(['key', 'create', '--location', id, '--scope', 'read,ingest'], {
      env,
    })
    return { id, key, keyId }
  }
  return { dataDir, env, made }
}

const backUp = (env: { BACKUP: string }) => tillgateJson(['backup', env.BACKUP], { env })

describe('with the page “Going back” alone', () => {
  test('a database deleted under a running server is restored, and the missing entries stay reported', async () => {
    const { dataDir, env, made } = await installation()
    const site = await made('Deleted')
    let served = await serve([], { env })
    assert.equal((await push(served, site, 1)).status, 200)
    await backUp(env)
    for (const n of [2, 3]) assert.equal((await push(served, site, n)).status, 200)
    const seen = new Map(await eventsOf(served, site))
    await stop(served)
    served = await serve([], { env })
    await rm(join(dataDir, 'postgres'), { recursive: true, force: true, maxRetries: 20 })
    const refused = await push(served, site, 4)
    assert.deepEqual([refused.status, refused.body.code], [503, 'database_unavailable'], served.written.stderr)
    assert.equal((await fetch(`${served.url}/readyz`)).status, 503)
    await stop(served)

    const output = await runBlock('mv "$TILLGATE_DATA_DIR/postgres"', env)
    assert.match(output, new RegExp(`Location ${site.id}: the acknowledged entries 3 to 4 are not in the backup`))
    assert.match(output, new RegExp(`^lost +${site.id} +3 to 4,`, 'm'))
    const again = await serve([], { env })
    for (const n of [5, 6]) assert.equal((await push(again, site, n)).status, 200)
    for (const [id, text] of await eventsOf(again, site)) assert.equal(seen.get(id) ?? text, text)
    await stop(again)
    await runBlock('tillgate loss acknowledge --all', env)
    assert.deepEqual(await tillgateJson(['loss', 'list'], { env }), [])
  })

  test('one restaurant that has been wrong since Tuesday is restored to Monday, and the others are not changed', async () => {
    const { env, made } = await installation()
    const [site, other] = [await made('Wrong'), await made('Right')]
    let served = await serve([], { env })
    for (const one of [site, other]) assert.equal((await push(served, one, 1)).status, 200)
    await backUp(env)
    const monday = `${env.BACKUP}-monday`
    atEnd(() => rm(monday, { recursive: true, force: true }))
    await cp(env.BACKUP, monday, { recursive: true })
    for (const one of [site, other]) assert.equal((await push(served, one, 2)).status, 200)
    await backUp(env)
    const [before, others] = [new Map(await eventsOf(served, site)), await eventsOf(served, other)]
    await runBlock('tillgate location deactivate', { ...env, LOCATION: site.id, NAME: 'Wrong', MONDAY: monday })
    await stop(served)
    served = await serve([], { env })
    assert.equal((await push(served, site, 3)).status, 200)
    const now = await eventsOf(served, site)
    for (const [id, text] of now) assert.equal(before.get(id) ?? text, text)
    assert.ok(!JSON.stringify(now).includes(orderOf(site.id, 2).id), 'Tuesday is gone')
    assert.deepEqual(await eventsOf(served, other), others)
    assert.equal((await push(served, other, 3)).status, 200)
    await stop(served)
    assert.equal((await tillgate(['backup', env.BACKUP], { env })).code, 0)
  })

  test('the records written by a leaked till key are found', async () => {
    const { env, made } = await installation()
    const site = await made('Leaked')
    const { id: keyId, key } = await tillgateJson(['key', 'create', '--location', site.id, '--scope', 'ingest'], {
      env,
    })
    const served = await serve([], { env })
    for (const n of [1, 2, 3]) assert.equal((await push(served, site, n, n === 2 ? key : site.key)).status, 200)
    await stop(served)
    const output = await runBlock('tillgate key revoke', { ...env, LOCATION: site.id, KEY_ID: keyId })
    assert.match(output, /POST \/v1\/ingest\/ .* 3 … 3/)
    assert.ok(output.includes(orderOf(site.id, 2).id))
    assert.ok(!output.includes(orderOf(site.id, 1).id) && !output.includes(orderOf(site.id, 3).id))
  })

  test('the remaining blocks run: nothing is lost, and a journal is resumed manually', async () => {
    const { env, made } = await installation()
    const { id } = await made('Whole')
    assert.match(await runBlock('tillgate loss list', env), new RegExp(`^verified +${id}`, 'm'))
    assert.match(await runBlock('tillgate resume', env), new RegExp(`^resumed +${id}`, 'm'))
  })
})
