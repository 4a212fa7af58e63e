import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { attacks, type Attack } from './abuse-attacks.ts'
import type { Options } from './options.ts'
import { orderLines } from './support/orders.ts'
import type { Figure, Report } from './support/report.ts'
import { addSite, push, startServer, withCleanup, withDirectory } from './support/server.ts'

/** Others may wait so long, and the server may grow so much, while somebody attacks (decision 0034). */
const targets = { waitMs: 250, growthMiB: 256 }

/** Resident memory of a process in MiB. */
async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

/** Asks one path over and over and keeps how long each answer took. */
async function watch(url: string, headers: Record<string, string>, until: AbortSignal): Promise<number[]> {
  const took: number[] = []
  while (!until.aborted) {
    const began = performance.now()
    // A failure counts as the time until it: an attack must not hide behind refusals.
    await fetch(url, { headers })
      .then((answer) => answer.arrayBuffer())
      .catch(() => undefined)
    took.push(performance.now() - began)
    await delay(10)
  }
  return took
}

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0

type Row = { name: string; probe: number[]; reads: number[]; growthMiB: number; alive: boolean }

/** Runs one attack against a server of its own, so that none inherits what another left. */
async function measure({ name, run }: Attack, seconds: number): Promise<Row> {
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      const server = await startServer(directory)
      later(() => server.stop())
      const [attacker, victim] = [await addSite(server, 'Attacker'), await addSite(server, 'Victim')]
      await push(
        server,
        victim,
        orderLines({ locationId: victim.locationId, count: 200, perDay: 100, from: '2026-03-02' }),
      )
      const end = new AbortController()
      const watching = [
        watch(`${server.url}/livez`, {}, end.signal),
        watch(`${server.url}/v1/orders/?size=10`, { 'x-api-key': victim.key }, end.signal),
      ] as const
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
      const attack = run({ server, attacker, until: end.signal }).catch(() => {})
      await delay(seconds * 1000)
      end.abort()
      const [probe, reads] = await Promise.all(watching)
      await attack
      clearInterval(sampling)
      const alive = await fetch(`${server.url}/livez`).then(
        ({ ok }) => ok,
        () => false,
      )
      return { name, probe, reads, growthMiB: most - before, alive }
    }),
  )
}

function figuresOf({ name: row, probe, reads, growthMiB, alive }: Row): Figure[] {
  const wait = { unit: 'ms', aim: { most: targets.waitMs } } as const
  return [
    { row, column: '/livez p50', value: percentile(probe, 0.5), unit: 'ms' },
    { row, column: '/livez longest', value: Math.max(...probe), ...wait },
    { row, column: 'reads p50', value: percentile(reads, 0.5), unit: 'ms' },
    { row, column: 'reads longest', value: Math.max(...reads), ...wait },
    { row, column: 'memory', value: growthMiB, unit: 'MB', aim: { most: targets.growthMiB } },
    ...(alive ? [] : [{ row, column: 'memory', value: Infinity, unit: 'MB', note: 'the server ended' } as const]),
  ]
}

/** What each attack of a security review costs everybody else. */
export async function abuse({ quick, only }: Options): Promise<Report> {
  const seconds = quick ? 3 : 15
  const figures: Figure[] = []
  const isAsked = ({ name }: Attack) => only.length === 0 || only.includes(name.split(' ', 1)[0] ?? '')
  for (const attack of attacks.filter(isAsked)) {
    figures.push(...figuresOf(await measure(attack, seconds)))
  }
  return {
    title: 'What an attack costs others',
    remarks: [
      `${seconds} s of each attack against a server of its own, while /livez and another location’s pages of 10 are`,
      'asked every 10 ms; the longest answer counts, also one that failed. Memory is the growth of the process, in MiB.',
    ],
    figures,
    races: [],
  }
}
