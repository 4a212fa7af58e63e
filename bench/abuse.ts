import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { figureAttacks } from './abuse-figures.ts'
import { laterAttacks } from './abuse-later.ts'
import { requestAttacks } from './abuse-requests.ts'
import type { Attack, Target } from './abuse-target.ts'
import { webhookAttacks } from './abuse-webhooks.ts'
import type { Options } from './options.ts'
import { orderLines } from './support/orders.ts'
import { percentile } from './support/figures.ts'
import { describeAims, type Figure, type Report } from './support/report.ts'
import { addSite, push, startServer, withCleanup, withDirectory } from './support/server.ts'
import { startWatcher, type Watcher } from './support/watcher.ts'

/** Limits during an attack: how long other users wait, and how much the server grows (docs/inside/12-limits.md). */
const targets = { waitMs: 250, growthMiB: 256 }

/** Resolves to the resident memory of a process, in MiB. */
async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

const numberOf = (name: string) => name.split(' ', 1)[0] ?? ''

/** The baseline: measures waiting time and memory on this machine without an attack. */
const idle: Attack = { name: '0 nobody attacks', run: async () => {} }

const attacks = [...requestAttacks, ...webhookAttacks, ...laterAttacks, ...figureAttacks].toSorted(
  (one, other) => Number(numberOf(one.name)) - Number(numberOf(other.name)),
)

type Row = { name: string; probe: number[]; reads: number[]; growthMiB: number }

/** Runs one attack against a new server, so that no earlier attack affects it. */
async function measure({ name, prepare, run }: Attack, watcher: Watcher, seconds: number): Promise<Row> {
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      const server = await startServer(directory, { args: ['--allow-http', '--allow-address', '127.0.0.0/8'] })
      later(() => server.stop())
      const [attacker, victim] = [await addSite(server, 'Attacker'), await addSite(server, 'Victim')]
      await push(
        server,
        victim,
        orderLines({ locationId: victim.locationId, count: 200, perDay: 100, from: '2026-03-02' }),
      )
      const end = new AbortController()
      const target: Target = { server, attacker, until: end.signal, later }
      await prepare?.(target)
      await watcher.begin([
        { url: `${server.url}/livez`, headers: {} },
        { url: `${server.url}/v1/orders/?size=10`, headers: { 'x-api-key': victim.key } },
      ])
      await delay(500)
      const before = await memoryOf(server.pid)
      let most = before
      const sampling = setInterval(
        () =>
          void memoryOf(server.pid).then(
            (now) => (most = Math.max(most, now)),
            () => {},
          ),
        100,
      )
      const attack = run(target).catch(() => {})
      await delay(seconds * 1000)
      const [probe = [], reads = []] = await watcher.end()
      end.abort()
      await attack
      clearInterval(sampling)
      const alive = await fetch(`${server.url}/livez`).then(
        ({ ok }) => ok,
        () => false,
      )
      return { name, probe, reads, growthMiB: alive ? most - before : Infinity }
    }),
  )
}

function figuresOf({ name: row, probe, reads, growthMiB }: Row): Figure[] {
  const wait = { unit: 'ms', aim: { most: targets.waitMs } } as const
  const note = growthMiB === Infinity ? { note: 'the server ended' } : {}
  return [
    { row, column: '/livez p50', value: percentile(probe, 0.5), unit: 'ms' },
    { row, column: '/livez longest', value: Math.max(...probe), ...wait },
    { row, column: 'reads p50', value: percentile(reads, 0.5), unit: 'ms' },
    { row, column: 'reads longest', value: Math.max(...reads), ...wait },
    { row, column: 'memory', value: growthMiB, unit: 'MB', aim: { most: targets.growthMiB }, ...note },
  ]
}

/** Measures what each attack of the security review, and each later attack, costs all other users. */
export async function abuse({ quick, only }: Options): Promise<Report> {
  const seconds = quick ? 3 : 15
  const figures: Figure[] = []
  const asked = [idle, ...attacks].filter(({ name }) => only.length === 0 || only.includes(numberOf(name)))
  if (asked.length === 0) throw new Error(`There is no attack ${only.join(', ')}.`)
  const watcher = startWatcher()
  try {
    for (const attack of asked) {
      const row = figuresOf(await measure(attack, watcher, seconds))
      for (const line of describeAims(row)) console.log(line)
      figures.push(...row)
    }
  } finally {
    await watcher.stop()
  }
  return {
    title: 'What an attack costs others',
    remarks: [
      `${seconds} s of each attack against a server of its own, while another process asks /livez and another location’s`,
      'pages of 10 every 10 ms; the longest answer counts, also one that failed. Memory is the growth of the process, in MiB.',
    ],
    figures,
    races: [],
    mustMeet: true,
  }
}
