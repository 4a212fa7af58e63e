import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { commandsOn, main, newFolder, serve, start, stop, tillgate, toUrl, type Served } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { freePort } from '../../support/ports.ts'
import { eventually } from '../../support/waiting.ts'

const { connection } = await createDatabase()
const on = ['--database-url', toUrl(connection)]
const { run, json, refuses } = commandsOn({}, on)
const directory = newFolder()

const oneDay = ['--from', '2026-03-06', '--to', '2026-03-06', '--orders-per-day', '40']
const twoDays = [...oneDay, '--to', '2026-03-07']

const matching = { mismatches: [], mismatchCount: 0 }

/**
 * Preloaded by a program: its waits take no time but advance its clock, and at its end it writes the sum of all waits.
 */
const waiting = `
  import timers from 'node:timers/promises'
  import { syncBuiltinESMExports } from 'node:module'
  let waitedMs = 0
  performance.now = () => waitedMs
  timers.setTimeout = async (ms) => void (waitedMs += ms)
  syncBuiltinESMExports()
  process.on('exit', () => process.stderr.write('waited ' + Math.round(waitedMs) + ' ms'))
`

/** Counts the pushes to which a server has responded. */
async function countPushes(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/_count\{[^}]*ingest[^}]*\} (\d+)/.exec(text)?.[1] ?? 0)
}

describe('simulate to a file', () => {
  test('writes the same bytes for the same seed and days, compressed for a file name ending in .gz', async () => {
    const [plain, packed] = [join(directory, 'plain.ndjson'), join(directory, 'packed.ndjson.gz')]
    const result = await json`simulate ${twoDays} --locations 2 --out ${plain}`
    await json`simulate ${twoDays} --locations 2 --out ${packed}`
    const text = await readFile(plain, 'utf8')
    assert.equal(gunzipSync(await readFile(packed)).toString(), text)
    assert.equal(text.trimEnd().split('\n').length, result.records)
    const { stdout } = await run`simulate ${twoDays} --locations 2 --seed other`
    assert.notEqual(stdout, text)
    const reports = text.split('\n').filter((line) => line.startsWith('{"type":"report"'))
    assert.equal(reports.length, 4)
  })

  test('keeps the requested speed', async () => {
    const from = '2026-03-06T19:00:00Z'
    const span = ['--from', from, '--to', '2026-03-06T19:30:00Z']
    const options = [
      process.env['NODE_OPTIONS'] ?? '',
      `--import="data:text/javascript,${encodeURIComponent(waiting)}"`,
    ]
    const { code, stdout, stderr } = await tillgate(['simulate', ...span, '--speed', '2'], {
      env: { NODE_OPTIONS: options.join(' ').trim() },
    })
    assert.equal(code, 0, stderr)
    // A record is sent at the time of its last change.
    const moments = Array.from(stdout.matchAll(/"updatedAt":"([^"]+)"/g), ([, at]) => Date.parse(at as string))
    const dueMs = (Math.max(...moments) - Date.parse(from)) / 2
    const waitedMs = Number(/waited (\d+) ms/.exec(stderr)?.[1])
    assert.ok(moments.length > 20 && dueMs > 600_000)
    assert.ok(Math.abs(waitedMs - dueMs) <= 2, `waited ${waitedMs} ms, and the last record is due after ${dueMs} ms`)
  })

  test('refuses an invalid range, share or target, with exit code 2', async () => {
    for (const [args, message] of [
      [['--from', '2026-03-07', '--to', '2026-03-06'], /--from .+ must be before --to/],
      [['--from', '2026-02-30'], /--from must be a date/],
      [['--duplicates', '2'], /--duplicates must be a number from 0 to 1/],
      [['--to-url', 'http://127.0.0.1:1', '--out', 'x'], /give either --to-url or --out/],
      [['--speed', '1', '--locations', '2'], /--speed writes one location/],
    ] as [string[], RegExp][])
      assert.equal((await refuses(message)`simulate ${args}`).stdout, '')
  })
})

describe('simulate to a server', () => {
  let served: Served
  const push = (...args: string[]) => json`simulate ${twoDays} --to-url ${served.url} ${args}`

  test('pushes with every fault of tills, and finds all of it in the counts, journals and reconciliations', async () => {
    served = await serve([...on, '--rate-limit', '10', '--rate-burst', '20'])
    const faults = ['--late-tills', '0.6', '--duplicates', '0.1', '--out-of-order', '0.2', '--wrong-clock', '0.5']
    const result = await push('--seed', 'faults', '--locations', '3', '--batch', '20', ...faults)
    const { records, accepted, unchanged, stale, rejected, checked, latencyMs } = result
    assert.deepEqual(checked, { locations: 3, reports: 6, ...matching })
    assert.equal(rejected, 0)
    assert.equal(accepted + unchanged + stale, records)
    assert.ok(unchanged > 3 && stale > 0, `${unchanged} unchanged, ${stale} stale`)
    assert.ok(latencyMs.p50 > 0 && latencyMs.p50 <= latencyMs.p99 && latencyMs.p99 <= latencyMs.max)
    assert.ok(result.acceptedPerSecond > 0)
  })

  test('waits when the server limits its rate, and still sends each record once', async () => {
    const result = await push('--seed', 'limited', '--final-only', '--batch', '1', '--to', '2026-03-06')
    // A busy machine may be slower than the limit; then nothing has to wait.
    assert.ok(result.repeated > 0 || result.acceptedPerSecond < 10, JSON.stringify(result))
    assert.deepEqual([result.unchanged, result.stale, result.rejected], [1, 0, 0])
    assert.deepEqual(result.checked, { locations: 1, reports: 1, ...matching })
  })

  test('pushes the same records to the same location without a change', async () => {
    const again = await push('--seed', 'limited', '--final-only', '--to', '2026-03-06')
    assert.deepEqual([again.accepted, again.unchanged], [0, again.records])
    assert.deepEqual(again.checked, { locations: 1, reports: 1, ...matching })
  })

  test('pushes to the location of a given key', async () => {
    const { id } = await json`location create --name Bistro`
    const { key } = await json`key create --location ${id} --scope read,ingest`
    const result = await push('--key', key, '--final-only')
    assert.deepEqual(result.checked, { locations: 1, reports: 2, ...matching })
    const orders = await fetch(`${served.url}/v1/orders/?size=1`, { headers: { 'x-api-key': key } })
    assert.equal(((await orders.json()) as any).data[0].locationId, id)
  })

  test('continues when the server is killed and restarted, and no accepted record is missing', async () => {
    await stop(served, 'SIGKILL')
    const port = String(await freePort())
    served = await serve([...on, '--rate-limit', '0', '--port', port])
    const args = [...on, ...oneDay, '--seed', 'killed', '--locations', '2', '--batch', '1', '--to-url', served.url]
    const running = start(process.execPath, [main, 'simulate', ...args, '--json'])
    await eventually(async () => (await countPushes(served.url)) > 20, 'it pushes')
    await stop(served, 'SIGKILL')
    assert.equal(running.child.exitCode, null)
    served = await serve([...on, '--rate-limit', '0', '--port', port])
    const { code, stdout, stderr } = await running.ended
    assert.equal(code, 0, stderr || stdout)
    const result = JSON.parse(stdout)
    // A busy machine may be slower than the limit; then nothing has to wait.
    assert.ok(result.repeated > 0 || result.acceptedPerSecond < 10, JSON.stringify(result))
    assert.deepEqual(result.checked, { locations: 2, reports: 2, ...matching })
    await stop(served)
  })
})
