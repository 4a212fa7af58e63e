import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { canGoBack, goBackOften } from './goings-back.ts'
import type { Harm } from './harm.ts'
import { readFormer } from './leading.ts'
import { faketime } from '../set-clock.ts'
import { topologies, type Installation, type Part, type TopologyName } from './topologies.ts'

type Fault = {
  about: string
  /** Why the fault cannot happen to the topology; false if it can. */
  excludes?: (topology: TopologyName) => false | string
  /** What this machine lacks for the fault; false if it lacks nothing. */
  lacks?: () => false | string
  /** Files of the topology go to a file system of this size. */
  diskBytes?: number
  /** Whether the fault ends by itself; the tills then continue until it has ended. */
  endsByItself?: true
  /** Injects the fault until the time is up. Resolves to how often it was injected. */
  run(harm: Harm): Promise<number>
}

const isRoot = process.getuid?.() === 0

const partsOf = ({ servings, parts }: Installation): Part[] => [
  ...servings.map((serving): Part => ({
    name: serving.name,
    kill: () => serving.kill(),
    start: () => serving.start(),
    pids: async () => (serving.pid === undefined ? [] : [serving.pid]),
  })),
  ...parts,
]

/** Waits this long, or less if the time is up earlier. */
async function pass(ms: number, isOver: () => boolean): Promise<void> {
  const until = performance.now() + ms
  while (performance.now() < until && !isOver()) await delay(50)
}

async function kill({ installation, random, isOver, log }: Harm): Promise<number> {
  let times = 0
  for (; !isOver(); times++) {
    await pass(random.int(500, 3_000), isOver)
    const all = partsOf(installation)
    const victims = new Set([random.pick(all), ...(random.chance(0.25) ? [random.pick(all)] : [])])
    log(`kill -9 ${[...victims].map(({ name }) => name).join(', ')}`)
    for (const victim of victims) await victim.kill()
    await pass(random.int(0, 1_500), isOver)
    // Databases are started before the Tillgate servers, which wait for a stopped database only for a limited time.
    for (const victim of all.toReversed()) if (victims.has(victim)) await victim.start()
  }
  return times
}

/** Pauses one process of a part, or all of them. */
async function pause({ installation, random, isOver, log }: Harm): Promise<number> {
  let times = 0
  for (; !isOver(); times++) {
    await pass(random.int(500, 2_500), isOver)
    const part = random.pick(partsOf(installation))
    const all = await part.pids()
    const pids = all.length > 0 && random.chance(0.5) ? [random.pick(all)] : all
    const ms = random.int(1_000, random.chance(0.25) ? 20_000 : 6_000)
    log(`SIGSTOP ${part.name} (${pids.length} of ${all.length} processes) for ${ms} ms`)
    for (const pid of pids) signal(pid, 'SIGSTOP')
    await pass(ms, isOver)
    for (const pid of pids) signal(pid, 'SIGCONT')
  }
  return times
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The process has already ended.
  }
}

async function cut({ installation: { network }, random, isOver }: Harm): Promise<number> {
  let times = 0
  for (; !isOver(); times++) {
    await pass(random.int(100, 1_500), isOver)
    // In about a third of cases, the next connections are cut while they are opened.
    network?.cutAfter(random.chance(0.3) ? random.int(1, 2_000) : null)
    network?.cut()
    await pass(random.int(0, 200), isOver)
    network?.cutAfter(null)
  }
  return times
}

async function slow({ installation: { network }, random, isOver }: Harm): Promise<number> {
  let times = 0
  for (; !isOver(); times++) {
    network?.slow(random.int(5, 200))
    await pass(random.int(500, 3_000), isOver)
  }
  network?.slow(0)
  return times
}

async function silence({ installation: { network }, random, isOver, log }: Harm): Promise<number> {
  let times = 0
  for (; !isOver(); times++) {
    await pass(random.int(1_000, 3_000), isOver)
    const state = random.pick(['silent', 'silent', 'closes', 'hears'] as const)
    const ms = random.int(500, state === 'silent' ? 14_000 : 4_000)
    log(`the network is ${state} for ${ms} ms`)
    network?.become(state)
    await pass(ms, isOver)
    network?.become('open')
  }
  return times
}

/** Restarts ended databases like an operator: PostgreSQL ends if it cannot recover, as on a full disk. */
export async function startEnded(parts: readonly Part[], log: (line: string) => void): Promise<void> {
  for (const part of parts) {
    if ((await part.pids()).length > 0) continue
    log(`the ${part.name} had ended, and is started again`)
    await part.start()
  }
}

async function fillDisk({ folder, installation: { parts }, random, isOver, log }: Harm): Promise<number> {
  const ballast = join(folder, 'ballast')
  let times = 0
  for (; !isOver(); times++) {
    await pass(random.int(1_000, 3_000), isOver)
    log('the disk is full')
    const file = await open(ballast, 'w')
    const until = performance.now() + random.int(2_000, 6_000)
    // Repeatedly, so that space freed by the database is filled again.
    while (performance.now() < until && !isOver()) {
      const block = Buffer.alloc(random.pick([2 ** 20, 4_096]))
      await file.write(block).catch(() => delay(20))
    }
    await file.close()
    await rm(ballast)
    await startEnded(parts, log)
  }
  return times
}

/** Restarts a Tillgate server with its clock up to 30 s ahead, and later with the correct clock. */
async function wrongClock({ installation: { servings }, random, isOver, log }: Harm): Promise<number> {
  const ahead = new Set<(typeof servings)[number]>()
  let times = 0
  for (; !isOver(); times++) {
    const serving = random.pick(servings)
    const seconds = ahead.has(serving) ? 0 : random.pick([30, 30, 5])
    log(`${serving.name}: the clock is ${seconds} s ahead`)
    await serving.kill()
    await serving.start(seconds)
    if (seconds === 0) ahead.delete(serving)
    else ahead.add(serving)
    await pass(random.int(2_000, 5_000), isOver)
  }
  for (const serving of ahead) {
    await serving.kill()
    await serving.start()
  }
  return times
}

/** Makes fdatasync fail at times in every process of the databases: PostgreSQL panics and recovers. */
async function refuseSyncs({ installation: { parts }, random, isOver, log }: Harm): Promise<number> {
  let times = 0
  while (!isOver()) {
    const pids = (await Promise.all(parts.map((part) => part.pids()))).flat()
    const when = random.int(5, 60)
    log(`fdatasync ${when} of each process fails with EIO`)
    const inject = ['-e', 'trace=fdatasync', '-e', `inject=fdatasync:error=EIO:when=${when}`]
    const args = ['-f', '-qq', '-o', '/dev/null', ...inject, ...pids.flatMap((pid) => ['-p', String(pid)])]
    const tracer = spawn('strace', args, { stdio: 'ignore' })
    times += 1
    await pass(random.int(3_000, 6_000), isOver)
    tracer.kill('SIGTERM')
    while (tracer.exitCode === null && tracer.signalCode === null) await delay(20)
    await pass(random.int(500, 1_500), isOver)
  }
  return times
}

/** Kills the primary under load; its replica, which may lag, takes over. Runs no command. */
async function failOver({ installation: { leading, standby }, ledger, random, isOver, log }: Harm): Promise<number> {
  if (!leading || !standby) throw new Error('there is no replica')
  await pass(random.int(4_000, 8_000), isOver)
  if (random.chance(0.75)) {
    log('the replica falls behind')
    await leading.cutReplica(standby)
    await delay(random.int(50, 600))
  }
  log('the primary is killed, its replica is promoted')
  const beganAt = performance.now()
  const former = leading.current.node
  await leading.promote(standby)
  const endedAt = performance.now()
  ledger.abandoned.push({ beganAt, endedAt, journals: await readFormer(former) })
  while (!isOver()) await delay(50)
  return 1
}

const needsNetwork = (topology: TopologyName) => topology === 'embedded' && 'the embedded server has no network'

export const faults = {
  none: {
    about: 'nothing',
    run: async ({ isOver }) => {
      while (!isOver()) await delay(50)
      return 0
    },
  },
  kill: { about: '`kill -9` of any part', run: kill },
  cut: { about: 'connections cut at any byte', excludes: needsNetwork, run: cut },
  slow: { about: 'a network of 5 to 200 ms', excludes: needsNetwork, run: slow },
  silence: { about: 'a network that swallows or refuses', excludes: needsNetwork, run: silence },
  pause: { about: 'SIGSTOP for up to 20 s', run: pause },
  disk: {
    about: 'a full disk',
    diskBytes: 700 * 2 ** 20,
    lacks: () => !isRoot && 'needs root, to mount a small file system',
    run: fillDisk,
  },
  clock: { about: 'clocks 30 s ahead', lacks: () => faketime === undefined && 'install faketime', run: wrongClock },
  fsync: {
    about: 'fdatasync fails',
    lacks: () => {
      if (!existsSync('/usr/bin/strace')) return 'install strace'
      return spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status !== 0 && 'processes may not be traced here'
    },
    run: refuseSyncs,
  },
  failover: {
    about: 'a replica is promoted',
    excludes: (topology) => topology !== 'failover' && 'has no replica',
    run: failOver,
  },
  back: {
    about: 'twenty restores in random order',
    excludes: (topology) => !canGoBack.includes(topology) && 'is gone back in as on a PostgreSQL of its own',
    endsByItself: true,
    run: goBackOften,
  },
} as const satisfies Record<string, Fault>

export type FaultName = keyof typeof faults

export const faultNames = Object.keys(faults) as FaultName[]

/** Returns why the cell is not in the table; false if it is. */
export function isExcluded(topology: TopologyName, fault: FaultName): false | string {
  const { excludes }: Fault = faults[fault]
  return excludes?.(topology) ?? false
}

/** Returns what this machine lacks for the cell; false if it lacks nothing. */
export function whatLacks(topology: TopologyName, fault: FaultName): false | string {
  const { lacks }: Fault = faults[fault]
  return topologies[topology].missing || (lacks?.() ?? false)
}

export function doesEnd(fault: FaultName): boolean {
  const { endsByItself }: Fault = faults[fault]
  return endsByItself === true
}

export function diskBytesOf(fault: FaultName): number | undefined {
  const { diskBytes }: Fault = faults[fault]
  return diskBytes
}
