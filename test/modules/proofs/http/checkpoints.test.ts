import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { createPublicKey, hash } from 'node:crypto'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { headText, readNote, readVerifierKey } from '../../../../src/modules/proofs/domain/notes.ts'
import { makeCheckpoint } from '../../../../src/modules/proofs/projections/checkpoints.ts'
import {
  createKeyFile,
  rotateKeyFile,
  rotationName,
  SigningKey,
} from '../../../../src/modules/proofs/projections/signing-key.ts'
import { findCheckpointsFault, readKept } from '../../../../src/modules/proofs/projections/verify-checkpoints.ts'
import type { Checkpoint } from '../../../../src/modules/proofs/schemas/checkpoints.ts'
import { resumeJournal, takeHead } from '../../../../src/core/store/journal/resumption.ts'
import { appendChanges, readChain } from '../../../../src/core/store/journal/journal.ts'
import { findAccessFault, listActs, recordActIn } from '../../../../src/core/store/accounts/access.ts'
import { transact } from '../../../../src/core/store/db/database.ts'
import { redactEntries } from '../../../../src/core/store/repair/redactions.ts'
import { assertProblem } from '../../../core/conformance/contract.ts'
import { startApp, type Site } from '../../../support/app.ts'
import { date, soldOn, storeDays } from '../../../support/books-site.ts'
import { crashing } from '../../../support/crashing.ts'
import { idOf, order } from '../../../support/records.ts'
import { lookAt } from '../../../support/sessions.ts'
import { needs } from '../../../support/tools.ts'
import { eventually } from '../../../support/waiting.ts'

const dir = mkdtempSync(join(tmpdir(), 'tillgate-checkpoints-'))
after(() => rmSync(dir, { recursive: true }))
const keyFile = join(dir, 'key.pem')
createKeyFile(keyFile)

let now = new Date('2026-03-31T12:00:00.000Z')
const signing = { signer: new SigningKey(keyFile), logName: 'tillgate.example' }
const app = await startApp({ clock: () => now, signing })
const { pool } = app

const script = new URL('../../../../docs/verify/verify.mjs', import.meta.url).pathname

const file = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text)
  return join(dir, name)
}

/** Runs the script as an auditor does, with only this one file of the project. */
const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' })
  return { status, text: stdout + stderr }
}

async function made(site: Site): Promise<Checkpoint> {
  const answer = await app.request('POST', '/v1/checkpoints/', { key: site.key })
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}

const text = async (site: Site, path: string): Promise<string> => {
  const answer = await app.get(path, { key: site.key })
  assert.equal(answer.status, 200, answer.text)
  return answer.text
}

/** Computes the root by RFC 6962, section 2.1, over the entries of the journal, in a few lines of Python. */
function rootByPython(hashes: readonly string[]): string {
  const program = `
import sys, hashlib, base64
h = lambda b: hashlib.sha256(b).digest()
def mth(d):
    n = len(d)
    if n == 0: return h(b'')
    if n == 1: return h(b'\\0' + d[0])
    k = 1
    while k * 2 < n: k *= 2
    return h(b'\\1' + mth(d[:k]) + mth(d[k:]))
print(base64.b64encode(mth([bytes.fromhex(l) for l in sys.stdin.read().split()])).decode())`
  return execFileSync('python3', ['-c', program], { input: hashes.join('\n'), encoding: 'utf8' }).trim()
}

const hashesOf = async (site: Site) =>
  (await pool<{ hash: string }[]>`select hash from journal where location_id = ${site.id} order by seq`).map(
    ({ hash: of }) => of,
  )

const manyOrders = async (site: Site, from: number, count: number) => {
  for (let at = 0; at < count; at += 200)
    await app.store(
      Array.from({ length: Math.min(200, count - at) }, (_, n) => order(soldOn(site, 2, from + at + n))),
      site.key,
    )
}

test(
  'a checkpoint has the root over the hashes of all entries, also after a resumption and further entries',
  needs('python3'),
  async () => {
    const site = await app.addLocation()
    await manyOrders(site, 1, 700)
    const before = await hashesOf(site)
    const first = await made(site)
    assert.deepEqual([first.size, first.sequence], [700, 700])
    assert.equal(first.root, rootByPython(before))
    await transact(pool, (tx) => resumeJournal(tx, site.id, { reason: 'x', now }))
    await manyOrders(site, 1_000, 300)
    const hashes = await hashesOf(site)
    const second = await made(site)
    assert.equal(second.size, 1_002)
    assert.ok(second.sequence > 1_000_000, String(second.sequence))
    assert.equal(second.root, rootByPython(hashes))
    assert.equal(second.origin, first.origin)
    assert.match(first.origin, new RegExp(`^tillgate\\.example/${site.id}/[0-9a-f]{8}$`))
    // The second request finds nothing new, so its checkpoint is identical.
    const again = await app.request('POST', '/v1/checkpoints/', { key: site.key })
    assert.deepEqual([again.status, again.json], [200, second])
    assert.equal(await findCheckpointsFault(pool, site.id, []), undefined)
    const [event] = (await app.get('/v1/events/?after=700&types=checkpoint.created', { key: site.key })).json.data
    assert.deepEqual(event.data, first)
    assert.equal(await text(site, '/v1/checkpoints/latest'), second.note)
    assert.equal(await text(site, '/v1/checkpoints/700'), first.note)
    const list = (await app.get('/v1/checkpoints/', { key: site.key })).json
    assert.deepEqual([list.meta.totalCount, list.data], [2, [second, first]])
    const covering = async (sequence: number) =>
      (await app.get(`/v1/checkpoints/?covers=${sequence}`, { key: site.key })).json.data
    assert.deepEqual(await Promise.all([1, 700, 701, second.sequence, second.sequence + 1].map(covering)), [
      [first],
      [first],
      [second],
      [second],
      [],
    ])
    // Entry 1, the last one before the gap (700), the first after it, and the last of all; 700 under both checkpoints.
    const ends = [second.sequence - 299, second.sequence].map((seq) => `${seq}/proof`)
    for (const path of ['1/proof', '700/proof', ...ends, '700/proof?size=700']) {
      const proof = file('resumed.tlog-proof', await text(site, `/v1/events/${path}`))
      const result = run('proof', proof, second.keys[0] as string)
      assert.equal(result.status, 0, `${path}: ${result.text}`)
    }
    const growth = file('resumed-growth', await text(site, '/v1/checkpoints/consistency?from=700'))
    assert.equal(run('growth', growth, file('resumed-first', first.note), second.keys[0] as string).status, 0)
  },
)

test('OpenSSL verifies the signature of a checkpoint', needs('openssl'), async () => {
  const site = await app.addLocation()
  await manyOrders(site, 1, 3)
  const { note, keys } = await made(site)
  const read = readNote(note) ?? assert.fail('no note')
  const { publicKey } = readVerifierKey(keys[0] as string) ?? assert.fail('no key')
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') },
    format: 'jwk',
  })
  const pem = file('public.pem', key.export({ format: 'pem', type: 'spki' }) as string)
  writeFileSync(join(dir, 'signature'), read.signatures[0]?.signature ?? '')
  const args = ['pkeyutl', '-verify', '-pubin', '-inkey', pem, '-rawin', '-sigfile', join(dir, 'signature')]
  const result = spawnSync('openssl', [...args, '-in', file('note.txt', read.text)], { encoding: 'utf8' })
  assert.match(result.stdout, /Verified Successfully/, result.stderr)
})

test('the script verifies a proof of an order, a report and an entry, and finds a changed byte', async () => {
  const site = await app.addLocation()
  await storeDays(app, site, { 2: [soldOn(site, 2, 1), soldOn(site, 2, 2)] })
  await manyOrders(site, 10, 300)
  const { keys } = await made(site)
  const key = keys[0] as string
  const id = idOf('order', 201)
  const [proof, ofReport, ofEntry] = [
    await text(site, `/v1/orders/${id}/proof`),
    await text(site, `/v1/reports/${idOf('report', 2)}/proof`),
    await text(site, '/v1/events/1/proof'),
  ]
  for (const [name, of] of Object.entries({ order: proof, report: ofReport, entry: ofEntry })) {
    const result = run('proof', file(`${name}.tlog-proof`, of), key)
    assert.equal(result.status, 0, result.text)
  }
  assert.match(run('proof', join(dir, 'order.tlog-proof'), key).text, new RegExp(`verified: order ${id} of location`))
  // Another key, and another document with its own commitment.
  assert.notEqual(
    run(
      'proof',
      join(dir, 'order.tlog-proof'),
      key.replace(/.$/, (one) => (one === 'A' ? 'B' : 'A')),
    ).status,
    0,
  )
  const { verifyProof } = await import('../../../../docs/verify/verify.mjs' as string)
  const bytes = Buffer.from(proof)
  for (let i = 0; i < bytes.length; i += 7) {
    const changed = Buffer.from(bytes)
    changed[i] = (changed[i] as number) ^ 1
    await assert.rejects(verifyProof(changed.toString(), key), `byte ${i} of ${bytes.length}`)
  }
  const [, extra = ''] = /^extra (.*)$/m.exec(proof) ?? []
  const forged = JSON.parse(Buffer.from(extra, 'base64').toString())
  forged.document = forged.document.replace('"total":11', '"total":10')
  const withExtra = () => proof.replace(extra, Buffer.from(JSON.stringify(forged)).toString('base64'))
  await assert.rejects(verifyProof(withExtra(), key), /does not match the commitment of the entry/)
  forged.entry.commitment = hash('sha256', forged.salt + forged.document)
  await assert.rejects(verifyProof(withExtra(), key), /differs from the signed one/)
})

test('a redacted order is proven in its redacted form, and the proof states this', async () => {
  const site = await app.addLocation()
  await app.store([order(soldOn(site, 2, 1, { operatorName: 'Camille Dupont' }))], site.key)
  await manyOrders(site, 10, 20)
  const [first] = await readChain(pool, site.id, 0, { entries: 1, bytes: 1e9 })
  const rule = { fields: ['/operatorName'], order: idOf('order', 201) }
  await redactEntries(pool, site.id, [first?.seq as number], { rule: rule as never, reason: 'asked', now })
  const { keys } = await made(site)
  const proof = file('redacted.tlog-proof', await text(site, `/v1/orders/${idOf('order', 201)}/proof`))
  assert.doesNotMatch(
    Buffer.from(/^extra (.*)$/m.exec(readFileSync(proof, 'utf8'))?.[1] ?? '', 'base64').toString(),
    /Dupont/,
  )
  const result = run('proof', proof, keys[0] as string)
  assert.equal(result.status, 0, result.text)
  assert.match(result.text, /blanked since/)
})

test('the growth between checkpoints is proven, and a different history is found', async () => {
  const site = await app.addLocation()
  await manyOrders(site, 1, 5)
  const checkpoints = [await made(site)]
  for (const [i, more] of [1, 120, 140].entries()) {
    await manyOrders(site, 1_000 * (i + 1), more)
    checkpoints.push(await made(site))
  }
  const key = checkpoints[0]?.keys[0] as string
  const last = checkpoints.at(-1) as Checkpoint
  for (const one of checkpoints) {
    const growth = file('growth', await text(site, `/v1/checkpoints/consistency?from=${one.size}`))
    const result = run('growth', growth, file('older', one.note), key)
    assert.equal(result.status, 0, `${one.size}: ${result.text}`)
    assert.match(result.text, new RegExp(`of ${last.size} entries begins with the ${one.size}`))
  }
  // Signed by the same key, with the same size, over other entries.
  const root = Buffer.alloc(32, 7)
  const { note, written } = signing.signer.sign(
    { origin: last.origin, size: checkpoints[1]?.size as number, root },
    `${last.origin}\n${checkpoints[1]?.size}\n${root.toString('base64')}\n`,
    now,
  )
  await written
  const growth = file('growth', await text(site, `/v1/checkpoints/consistency?from=${checkpoints[1]?.size}`))
  const result = run('growth', growth, file('other', note), key)
  assert.equal(result.status, 1)
  assert.match(result.text, /not the beginning of the later one/)
})

test('verify finds a journal whose entries and later hashes were all rewritten, by a stored checkpoint', async () => {
  const site = await app.addLocation()
  await manyOrders(site, 1, 30)
  const { note } = await made(site)
  const kept = readKept('kept', note) ?? assert.fail('no checkpoint')
  assert.equal(await findCheckpointsFault(pool, site.id, [kept]), undefined)
  // Somebody with write access also removes the checkpoints, and recomputes all hashes.
  await pool`delete from journal where location_id = ${site.id} and kind = 'checkpoint'`
  await pool`delete from checkpoints where location_id = ${site.id}`
  await pool`delete from tree_nodes where location_id = ${site.id}`
  const { chainHash, commitTo, genesis } = await import('../../../../src/core/domain/journal/chain.ts')
  let previous = genesis
  for (const entry of await readChain(pool, site.id, 0, { entries: 100, bytes: 1e9 })) {
    const text = String(entry.document)
    const document = entry.seq === 7 ? text.replace('"total":11', '"total":1') : text
    const commitment = commitTo(entry.salt, document)
    previous = chainHash(previous, { ...entry, commitment })
    await pool`
      update journal set document = ${document}, commitment = ${commitment}, hash = ${previous}
      where location_id = ${site.id} and seq = ${entry.seq}`
  }
  assert.equal(await findCheckpointsFault(pool, site.id, []), undefined)
  assert.match(
    (await findCheckpointsFault(pool, site.id, [kept])) ?? '',
    /the checkpoint in kept does not match the first 30 entries of the journal/,
  )
  await pool`delete from journal where location_id = ${site.id} and seq > 20`
  assert.match((await findCheckpointsFault(pool, site.id, [kept])) ?? '', /covers 30 entries, but the journal has 20/)
})

test('verify finds a changed checkpoint, and a subtree that does not match', async () => {
  const site = await app.addLocation()
  await manyOrders(site, 1, 300)
  await made(site)
  await pool`update tree_nodes set hash = repeat('0', 64) where location_id = ${site.id} and level = 4`
  assert.match((await findCheckpointsFault(pool, site.id, [])) ?? '', /subtree 0 of level 4 differs from the entries/)
  await pool`delete from tree_nodes where location_id = ${site.id}`
  assert.equal(await findCheckpointsFault(pool, site.id, []), undefined)
  await pool`
    update journal set document = replace(document, '"size":300', '"size":299')
    where location_id = ${site.id} and kind = 'checkpoint'`
  assert.match((await findCheckpointsFault(pool, site.id, [])) ?? '', /the stored checkpoints differ from the journal/)
  await pool`update checkpoints set size = 299 where location_id = ${site.id}`
  assert.match((await findCheckpointsFault(pool, site.id, [])) ?? '', /differs from its note/)
})

test('a database restored to an earlier state is a new log: no signature contradicts an earlier one', async () => {
  const site = await app.addLocation()
  await manyOrders(site, 1, 20)
  const first = await made(site)
  // The end is lost, and other entries are added.
  await pool`delete from journal where location_id = ${site.id} and seq > 15`
  await pool`delete from checkpoints where location_id = ${site.id}`
  await pool`
    update location_seq set last_seq = 15, last_hash = (select hash from journal where location_id = ${site.id} and seq = 15)
    where location_id = ${site.id}`
  const shorter = await makeCheckpoint(pool, site.id, { ...signing, now })
  assert.equal(shorter?.checkpoint.origin, `${first.origin}.2`)
  await transact(pool, (tx) => resumeJournal(tx, site.id, { reason: 'x', now }))
  const next = await makeCheckpoint(pool, site.id, { ...signing, now })
  assert.equal(next?.checkpoint.origin, `${first.origin}.2`)
  // Another process, which reads what the first one wrote, comes to the same result.
  const other = await makeCheckpoint(pool, site.id, { ...signing, signer: new SigningKey(keyFile), now })
  assert.equal(other?.checkpoint.origin, `${first.origin}.2`)
})

test('after a rotation both keys sign for 30 days, and the old key signs the new one', async () => {
  const path = join(dir, 'rotated.pem')
  createKeyFile(path)
  const signer = new SigningKey(path)
  const site = await app.addLocation()
  await manyOrders(site, 1, 3)
  const make = async (at: Date) =>
    (await makeCheckpoint(pool, site.id, { signer, logName: 'tillgate.example', now: at }))?.checkpoint as Checkpoint
  const first = await make(now)
  const rotation = rotateKeyFile(path, now)
  const [old] = first.keys as [string]
  await manyOrders(site, 10, 1)
  const second = await make(now)
  const [fresh, former] = second.keys as [string, string]
  assert.deepEqual([second.keys.length, former, second.rotation], [2, old, rotation])
  for (const key of [fresh, old]) assert.equal(run('checkpoint', file('second', second.note), key).status, 0)
  const lines = rotation.split('\n')
  const ofKey = (key: string) => key.split('+').slice(2).join('+')
  assert.deepEqual([lines[0], lines[2], lines[3]], [rotationName, ofKey(old), ofKey(fresh)])
  await manyOrders(site, 20, 1)
  const later = await make(new Date(now.getTime() + 31 * 86_400_000))
  assert.deepEqual([later.keys, later.rotation], [[fresh], null])
  assert.equal(run('checkpoint', file('later', later.note), old).status, 1)
  const { data } = (await app.get('/v1/checkpoints/keys', { key: site.key })).json
  assert.deepEqual(
    data.map((one: any) => [one.key, one.firstSize, one.lastSize, one.rotation]),
    [
      [fresh, second.size, later.size, rotation],
      [old, first.size, second.size, null],
    ],
  )
})

test('a process that ends at any statement of a checkpoint leaves a log that can continue', async () => {
  const site = await app.addLocation()
  const make = () =>
    makeCheckpoint(pool, site.id, {
      ...signing,
      now,
      along: (tx, { size }) =>
        recordActIn(tx, site.id, { act: 'checkpoint.made', by: site.id, subject: String(size) }, now),
    })
  let crashes = 0
  let at = 1
  for (let isCrashed = true; isCrashed; at++) {
    await manyOrders(site, 1_000 * at, 2)
    isCrashed = await crashing(pool, at, make)
    if (isCrashed) crashes += 1
    const next = await make()
    assert.doesNotMatch(next?.checkpoint.origin ?? '', /\.\d+$/)
  }
  assert.ok(crashes > 5, `${crashes} statements`)
  assert.equal(await findCheckpointsFault(pool, site.id, []), undefined)
  assert.equal(await findAccessFault(pool, site.id), undefined)
  // The checkpoint and its journal entry are stored together, or neither is.
  const { data } = (await app.get('/v1/checkpoints/?size=100', { key: site.key })).json
  const acts = (await listActs(pool, { locationId: site.id, before: null, since: null, limit: 1_000 })).toReversed()
  assert.deepEqual(
    acts.map(({ document }) => Number(JSON.parse(document).subject)),
    data.map(({ size }: Checkpoint) => size).toReversed(),
  )
})

test(
  'an entry that arrives while a checkpoint is created is in it, and of two concurrent ones one is new',
  needs('python3'),
  async () => {
    const site = await app.addLocation()
    await manyOrders(site, 1, 300)
    let locking = 0
    const making = await transact(pool, async (tx) => {
      const head = (await takeHead(tx, site.id, { now })) ?? assert.fail('no head')
      const stop = lookAt(pool, () => (sql) => {
        if (sql.startsWith('update location_seq')) locking += 1
      })
      const both = [1, 2].map(() => makeCheckpoint(pool, site.id, { ...signing, now }))
      await eventually(() => locking === 2, 'both have read, and wait for the head').finally(stop)
      const change = { kind: 'order', id: idOf('order', 999), prevSeq: null, types: [], document: '{}' }
      await appendChanges(tx, { locationId: site.id, head }, [change], now.toISOString())
      return both
    })
    const both = await Promise.all(making)
    assert.deepEqual(
      both.map((one) => one?.checkpoint.root),
      Array(2).fill(rootByPython((await hashesOf(site)).slice(0, 301))),
    )
    assert.equal(both.filter((one) => one?.isNew).length, 1)
    assert.equal(await findCheckpointsFault(pool, site.id, []), undefined)
  },
)

test('a signature that cannot be stored is not journaled', async () => {
  const path = join(dir, 'full.pem')
  createKeyFile(path)
  // The disk is full.
  symlinkSync('/dev/full', `${path}.notes`)
  const site = await app.addLocation()
  await manyOrders(site, 1, 20)
  const full = { ...signing, signer: new SigningKey(path), now }
  await assert.rejects(makeCheckpoint(pool, site.id, full), { code: 'ENOSPC' })
  assertProblem(await app.get('/v1/checkpoints/latest', { key: site.key }), {
    status: 404,
    code: 'checkpoint_not_found',
  })
  assert.equal((await made(site)).size, 20)
})

test('signatures of another process are remembered, also after a truncated line', async () => {
  const path = join(dir, 'shared.pem')
  createKeyFile(path)
  const [one, other] = [new SigningKey(path), new SigningKey(path)]
  const head = (size: number) => ({ origin: 'x.example/a/1', size, root: Buffer.alloc(32, size) })
  const signBy = (signer: SigningKey, size: number) => signer.sign(head(size), headText(head(size)), now).written
  const known = () => [one, other].map((signer) => signer.lastOf('x.example/a/1')?.size)
  assert.deepEqual(known(), [undefined, undefined])
  for (const [i, signer] of [one, other, other, one, other].entries()) {
    await signBy(signer, i + 1)
    assert.deepEqual(known(), [i + 1, i + 1])
    if (i === 2) appendFileSync(`${path}.notes`, '\n{"note":"x.exam')
  }
  // Somebody restores an older file, which has fewer signatures.
  writeFileSync(`${path}.notes`, '')
  await signBy(one, 9)
  assert.deepEqual(known(), [9, 9])
})

test('checkpoints and proofs of other locations are not readable; signing needs the scope books, and a signing key', async () => {
  const [site, other] = [await app.addLocation(), await app.addLocation()]
  await manyOrders(site, 1, 2)
  for (const path of ['/v1/checkpoints/latest', '/v1/events/1/proof', '/v1/checkpoints/consistency?from=0'])
    assertProblem(await app.get(path, { key: site.key }), { status: 404, code: 'checkpoint_not_found' })
  const { size } = await made(site)
  await manyOrders(other, 50, 2)
  await made(other)
  const id = idOf('order', 201)
  assertProblem(await app.get(`/v1/orders/${id}/proof`, { key: other.key }), { status: 404, code: 'order_not_found' })
  assertProblem(await app.get(`/v1/checkpoints/${size + 5}`, { key: site.key }), {
    status: 404,
    code: 'checkpoint_not_found',
  })
  await manyOrders(site, 30, 1)
  const young = await app.get(`/v1/orders/${idOf('order', 230)}/proof`, { key: site.key })
  assertProblem(young, { status: 409, code: 'not_checkpointed' })
  assert.deepEqual([young.json.sequence, young.json.size], [4, 2])
  const unborn = await app.get('/v1/events/99/proof', { key: site.key })
  assertProblem(unborn, { status: 404, code: 'entry_not_found' })
  const { key: reader } = await app.addKey(site.id, { scopes: ['read'] })
  assertProblem(await app.request('POST', '/v1/checkpoints/', { key: reader }), { status: 403, code: 'scope_missing' })
  const { key: accountant } = await app.addKey(site.id, { scopes: ['books'] })
  for (const path of ['', 'keys', 'latest', 'consistency?from=0', String(size)])
    assertProblem(await app.get(`/v1/checkpoints/${path}`, { key: accountant }), { status: 403, code: 'scope_missing' })
  await app.context.access.flush(true)
  const { data } = (await app.get('/v1/access/', { key: site.key })).json
  assert.deepEqual(
    data.filter(({ kind }: any) => kind === 'act').map(({ act, subject }: any) => [act, subject]),
    [['checkpoint.made', String(size)]],
  )
  const unsigned = await startApp({ clock: () => now })
  assertProblem(await unsigned.request('POST', '/v1/checkpoints/'), { status: 409, code: 'signing_off' })
})

test('a closing also creates a checkpoint', async () => {
  now = new Date('2026-03-31T12:00:00.000Z')
  const site = await app.addLocation()
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)] })
  const answer = await app.request('POST', '/v1/closings/', {
    key: site.key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ until: date(2), after: 0 }),
  })
  assert.equal(answer.status, 201)
  const note = await text(site, '/v1/checkpoints/latest')
  assert.equal(Number(note.split('\n')[1]), Number(answer.headers['tillgate-sequence']))
})
