import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Decrypter } from 'age-encryption'
import { findYear, writeYear } from '../../../src/modules/exports/cli/archive.ts'
import { writeJournal } from '../../../src/modules/exports/cli/archive/journal.ts'
import { generateKey } from '../../../src/modules/backup/format/age-seal.ts'
import { findLocation } from '../../../src/core/contract/location/rows.ts'
import type { Closing } from '../../../src/modules/proofs/schemas/closings.ts'
import { listActs } from '../../../src/core/store/accounts/access.ts'
import type { Pool } from '../../../src/core/store/db/database.ts'
import { date, soldOn, zOn } from '../../support/books-site.ts'
import { commandsOn, newFolder, toUrl } from '../../support/cli.ts'
import { crashing } from '../../support/crashing.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { needs } from '../../support/tools.ts'
import { order, report } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'
import { at, endInMarch, id, keyOf, newShop, ofApril, offline, site } from './shop.ts'

const folder = newFolder()
const onFiles = commandsOn({ env: offline })

/** Unpacks with an external program. */
function unpack(zip: string, to: string): string {
  execFileSync('python3', ['-m', 'zipfile', '-e', zip, to])
  return to
}

test(
  'a closed fiscal year is one ZIP that can be verified without Tillgate; a changed byte anywhere names its file',
  needs('python3', 'sha256sum'),
  async () => {
    const settings = { TILLGATE_CHECKPOINT_KEY: join(folder, 'key.pem'), TILLGATE_PUBLIC_URL: 'https://pos.example' }
    const shop = await newShop(settings)
    const { run, json, refuses } = shop
    const orders = [soldOn(site, 2, 1), soldOn(site, 2, 2, { operatorName: 'Camille Dupont' })]
    await shop.push(...orders.map(order), report(zOn(site, 2, orders)))
    await endInMarch(shop)
    const key = keyOf(await json`checkpoint key`)
    await json`books issue ${at} --until ${date(3)} --skip`
    await shop.close(date(2))
    await json`checkpoint make ${at}`
    await refuses(/the fiscal year 2025 is not closed/)`archive ${at} --year 2025 --out ${join(folder, 'none.zip')}`
    await refuses(
      /2024 has no closings: the first closing is dated 2026-03-02\. Archive the fiscal year 2025, which includes all earlier data/,
    )`archive ${at} --year 2024 --out ${join(folder, 'none.zip')}`
    // Camille is redacted after the year was closed; an order of April closes the year.
    await run`redact ${at} --order ${orders[1]?.id as string} --field /operatorName --reason asked --yes`
    await shop.push(order(ofApril(1)))
    const closed = await shop.close('2026-04-01')
    assert.deepEqual(
      closed.data.map(({ period }: any) => period),
      ['month', 'year', 'day'],
    )
    await json`checkpoint make ${at}`

    const zip = join(folder, 'archive.zip')
    const written = await run`archive ${at} --year 2025 --out ${zip}`
    assert.equal(written.code, 0, written.stderr)
    assert.equal((await run`archive ${at} --year 2025 --out ${zip}`).code, 2)
    const unpacked = unpack(zip, join(folder, 'unpacked'))
    const verify = (...more: string[]) => {
      const args = [join(unpacked, 'verify.mjs'), 'archive', '.', ...more]
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: unpacked, encoding: 'utf8' })
      return { status, text: stdout + stderr }
    }
    const good = verify(key)
    assert.equal(good.status, 0, good.text)
    assert.match(good.text, /fiscal year 2025: \d+ files, \d+ entries, 1 of them blanked, signed as pos\.example\//)
    assert.match(good.text, /and so is the manifest/)
    // The archive as stored, with only the key.
    const bare = spawnSync(process.execPath, ['verify.mjs', key], { cwd: unpacked, encoding: 'utf8' })
    assert.equal(bare.stdout, good.text)
    // The command line reports the same for the ZIP, for a ZIP that another program packed, and for the folder.
    const stored = join(folder, 'stored.zip')
    const program =
      'import sys, zipfile, os; z = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_STORED); [z.write(os.path.join(d, f), os.path.relpath(os.path.join(d, f), sys.argv[2])) for d, _, fs in os.walk(sys.argv[2]) for f in fs]'
    execFileSync('python3', ['-c', program, stored, unpacked])
    const all = await onFiles.json`verify --archive ${zip} ${stored} ${unpacked} --key ${key}`
    assert.deepEqual(
      all.files.map(({ verified, says }: any) => [verified, `verified: ${says}\n`]),
      [zip, stored, unpacked].map(() => [true, good.text]),
    )
    // One byte of an entry is changed in the stored ZIP, and one in the packed ZIP.
    for (const path of [stored, zip]) {
      const bytes = Buffer.from(readFileSync(path))
      const of = path === stored ? bytes.indexOf('"seq":1,') + 6 : bytes.indexOf('LISEZ-MOI.txt') + 200
      assert.ok(of > 100)
      bytes[of] = (bytes[of] as number) ^ 1
      writeFileSync(join(folder, 'changed.zip'), bytes)
      const result = await onFiles.run`verify --archive ${join(folder, 'changed.zip')} --key ${key}`
      assert.equal(result.code, 1, result.stdout)
      assert.match(
        result.stdout,
        path === stored ? /broken .*journal\/\S+ was changed/ : /broken .*LISEZ-MOI\.txt (was changed|is damaged)/,
      )
    }
    assert.match(verify().text, /no key was given/)
    const sums = spawnSync('sha256sum', ['-c', 'sha256sums.txt'], { cwd: unpacked, encoding: 'utf8' })
    assert.equal(sums.status, 0, sums.stderr)

    const names = (readdirSync(unpacked, { recursive: true, withFileTypes: true }) as any[])
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name).slice(unpacked.length + 1))
    for (const name of [
      'LISEZ-MOI.txt',
      'closings.ndjson',
      'growth.txt',
      'tables/manifest.json',
      'books/batch-0001.json',
      'verify.html',
    ])
      assert.ok(names.includes(name), name)
    assert.ok(
      names.some((name) => /^books\/\d{9}FEC20260331\.txt$/.test(name)),
      String(names),
    )
    assert.doesNotMatch(
      readFileSync(join(unpacked, 'journal', readdirSync(join(unpacked, 'journal'))[0] as string), 'utf8'),
      /Camille Dupont/,
    )
    for (const name of names.filter((one) => one !== 'verify.mjs')) {
      const path = join(unpacked, name)
      const bytes = readFileSync(path)
      const changed = Buffer.from(bytes)
      changed[Math.floor(changed.length / 2)] = (changed[Math.floor(changed.length / 2)] as number) ^ 1
      writeFileSync(path, changed)
      const { code, stdout } = await onFiles.run`verify --archive ${unpacked} --key ${key}`
      assert.equal(code, 1, name)
      assert.match(stdout, new RegExp(name.replaceAll(/[.+]/g, '\\$&')))
      writeFileSync(path, bytes)
    }
    assert.equal(verify(key).status, 0)

    const { identity, recipient } = await generateKey()
    const sealed = join(folder, 'archive.zip.age')
    const encrypted = await run`archive ${at} --year 2025 --out ${sealed} --recipient ${recipient}`
    assert.equal(encrypted.code, 0, encrypted.stderr)
    writeFileSync(join(folder, 'identity'), identity)
    await onFiles.refuses(/is encrypted: give --identity/)`verify --archive ${sealed} --key ${key}`
    const opened = await onFiles.run`verify --archive ${sealed} --key ${key} --identity ${join(folder, 'identity')}`
    assert.equal(opened.code, 0, opened.stdout + opened.stderr)
    const decrypter = new Decrypter()
    decrypter.addIdentity(identity)
    writeFileSync(join(folder, 'opened.zip'), await decrypter.decrypt(readFileSync(sealed)))
    assert.ok(readdirSync(unpack(join(folder, 'opened.zip'), join(folder, 'opened'))).includes('manifest.json'))
  },
)

/** Creates a database with one location whose fiscal year 2025 is closed. */
async function closedYear(orders = [soldOn(site, 2, 1), soldOn(site, 2, 2)], settings = {}) {
  const shop = await newShop(settings)
  await shop.push(...orders.map(order), report(zOn(site, 2, orders)))
  await endInMarch(shop)
  await shop.close(date(2))
  await shop.push(order(ofApril(1)))
  await shop.close('2026-04-01')
  return shop
}

test('an unsigned redaction has no proof in the archive; if a proof fails for another reason no archive is written', async () => {
  const orders = ['Camille Dupont', 'Dominique'].map((operatorName, n) => soldOn(site, 2, n + 1, { operatorName }))
  const { pool, push, run, json } = await closedYear(orders, { TILLGATE_CHECKPOINT_KEY: join(folder, 'signer.pem') })
  const redact = (n: number) =>
    run`redact ${at} --order ${orders[n]?.id ?? ''} --field /operatorName --reason asked --yes`
  const location = (await findLocation(pool, id)) ?? assert.fail('no location')
  const { closing } = await findYear(pool, location, 2025)
  const proofs = async () => {
    const to = newFolder()
    await writeJournal(pool, { locationId: id, epoch: '', closing }, to)
    const lines = readFileSync(join(to, 'redactions.ndjson'), 'utf8').trimEnd().split('\n')
    return lines.map((line) => JSON.parse(line).proof?.startsWith('c2sp.org/tlog-proof@v1\n') ?? null)
  }
  await redact(0)
  assert.deepEqual(await proofs(), [null], 'before the first checkpoint')
  await json`checkpoint key`
  await json`checkpoint make ${at}`
  await redact(1)
  assert.deepEqual(await proofs(), [true, null], 'one of two was signed')
  await push(order(ofApril(2)), order(ofApril(3)))
  await json`checkpoint make ${at}`
  await pool`delete from journal where location_id = ${id} and seq = (select max(seq) - 1 from journal where location_id = ${id})`
  await pool`delete from tree_nodes where location_id = ${id}`
  await assert.rejects(proofs(), /the journal of \S+ has \d+ entries from \d+ to \d+, and not \d+/)
})

test('a day closed long after its month and fiscal year closes these too, and the year can be archived at once', async () => {
  const shop = await newShop()
  await shop.push(order(soldOn(site, 2, 1)), order(soldOn(site, 3, 2)))
  await endInMarch(shop)
  const close = async (until: string) => {
    const { data } = await shop.close(until)
    return data.map(({ period, date: of, totals }: any) => [period, of, totals.orders])
  }
  assert.deepEqual(await close(date(15)), [['day', date(15), 2]], 'more of the month may come')
  await shop.push(order(soldOn(site, 20, 3)))
  assert.deepEqual(await close('2026-03-31'), [
    ['day', '2026-03-31', 1],
    ['month', '2026-03-31', 3],
    ['year', '2026-03-31', 3],
  ])
  const written = await shop.run`archive ${at} --year 2025 --out ${join(folder, 'at-once.zip')}`
  assert.equal(written.code, 0, written.stderr)
})

test('a journal file exceeds 64 MiB by at most one entry, and the next file continues', async () => {
  const shop = await newShop()
  const [customerId, count] = ['x'.repeat(900_000), 80]
  await shop.push(...Array.from({ length: count }, (_, n) => order(soldOn(site, 2, n + 1, { customerId }))))
  const closing = { fromSequence: 1, toSequence: count + 1 } as Closing
  const to = newFolder()
  await writeJournal(shop.pool, { locationId: id, epoch: '', closing }, to)
  const files = readdirSync(join(to, 'journal')).toSorted()
  const sequences = files.map((name) => {
    const text = readFileSync(join(to, 'journal', name), 'utf8')
    assert.ok(text.length < 65 * 2 ** 20, `${name} has ${text.length} bytes`)
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).seq as number)
  })
  assert.equal(files.length, 2)
  assert.deepEqual(
    files,
    sequences.map(([seq]) => `${String(seq).padStart(12, '0')}.ndjson`),
  )
  assert.deepEqual(
    sequences.flat(),
    Array.from({ length: count + 1 }, (_, n) => n + 1),
  )
})

async function countExports(pool: Pool): Promise<number> {
  const acts = (await listActs(pool, { locationId: id, before: null, since: null, limit: 100 })).toReversed()
  return acts.filter(({ document }) => document.includes('data.exported')).length
}

test('an invalid age recipient is reported before anything is read, and not shown if it may be a secret', async () => {
  const { identity, recipient } = await generateKey()
  const changed = recipient.slice(0, -1) + (recipient.endsWith('q') ? 'p' : 'q')
  const place = ['--location', randomUUID(), '--year', '2025']
  for (const [given, detail] of [
    [changed, `${changed} is not a valid age recipient: check that it was copied completely`],
    [identity, 'the value is not an age recipient: a recipient begins with age1'],
  ] as const) {
    const { code, stderr } = await onFiles.run`archive ${place} --out ${join(folder, 'none.zip')} --recipient ${given}`
    assert.notEqual(code, 0)
    assert.match(stderr, new RegExp(detail))
    assert.doesNotMatch(stderr, /AGE-SECRET-KEY/)
  }
})

test('an archive is complete or does not exist, at whichever statement the command ends', async () => {
  const { pool } = await closedYear()
  const location = (await findLocation(pool, id)) ?? assert.fail('no location')
  const to = newFolder()
  const write = () =>
    writeYear(pool, { location, year: 2025 }, { out: join(to, 'archive.zip'), encrypter: undefined, keyPath: null })
  let statement = 1
  while (await crashing(pool, statement, write)) {
    assert.deepEqual(readdirSync(to), [], `at statement ${statement}`)
    assert.equal(await countExports(pool), 0)
    statement += 1
  }
  assert.ok(statement > 3, `${statement} statements`)
  assert.deepEqual(readdirSync(to), ['archive.zip'])
  assert.equal(await countExports(pool), 1)
})

test('if its database becomes unavailable no archive is left; the next run writes it', needs('python3'), async () => {
  const { pool, connection } = await closedYear()
  const proxy = await startFaultProxy(connection)
  try {
    const to = newFolder()
    const out = join(to, 'archive.zip')
    const through = commandsOn({ env: { DATABASE_URL: toUrl(proxy.connection) } })
    const archive = () => through.run`archive ${at} --year 2025 --out ${out}`

    proxy.refuse(true)
    const refused = await archive()
    assert.equal(refused.code, 2, refused.stderr)
    assert.match(refused.stderr, /^error: the database \S+ cannot be reached/m)
    assert.deepEqual(readdirSync(to), [])

    // The network is slow enough to observe that the files of the archive are in a folder next to it.
    proxy.refuse(false)
    proxy.slow(30)
    const running = archive()
    await eventually(() => readdirSync(to).length > 0, 'an archive under way')
    proxy.refuse(true)
    proxy.cut()
    const cut = await running
    assert.equal(cut.code, 2, cut.stderr)
    assert.match(cut.stderr, /^error: .*(database|connection)/m)
    assert.deepEqual(readdirSync(to), [])
    assert.equal(await countExports(pool), 0)

    proxy.refuse(false)
    proxy.slow(0)
    const again = await archive()
    assert.equal(again.code, 0, again.stderr)
    assert.deepEqual(readdirSync(to), ['archive.zip'])
    assert.equal(await countExports(pool), 1)
    const { status, stderr } = spawnSync(process.execPath, [join(unpack(out, join(folder, 'next')), 'verify.mjs')], {
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
    rmSync(out)
    const before = proxy.commits
    await archive()
    const commits = proxy.commits - before
    rmSync(out)

    // The last COMMIT is that of the access log entry. Without its response it may not be logged, so there is no
    // archive.
    for (const [fault, exports] of [
      ['cut-before', 2],
      ['cut-after', 3],
    ] as const) {
      proxy.failCommits(fault, 1, commits - 1)
      const unanswered = await archive()
      assert.equal(unanswered.code, 2, unanswered.stderr)
      assert.deepEqual(readdirSync(to), [])
      assert.equal(await countExports(pool), exports)
    }
  } finally {
    await proxy.close()
  }
})
