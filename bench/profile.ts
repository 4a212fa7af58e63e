import { basename } from 'node:path'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

type Frame = { functionName: string; url: string; lineNumber: number }

type Profile = {
  nodes: { id: number; callFrame: Frame; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

/** The stack during a time in µs, outermost first. */
type Sample = { stack: readonly Frame[]; time: number }

const root = fileURLToPath(new URL('..', import.meta.url))

/** Returns the owner of a frame: `postgres (package)`, `src/core/http/guard/auth.ts` or `node:net`. */
export function ownerOf({ url, functionName }: Frame): string {
  const found = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)
  if (found) return `${found[1]} (package)`
  if (url.startsWith('file:')) return fileURLToPath(url).replace(root, '')
  if (url.startsWith('node:')) return url.replace('node:internal/', 'node:')
  return functionName.startsWith('(') ? functionName : '(native)'
}

export const nameOf = (frame: Frame) =>
  `${frame.functionName || '(anonymous)'} ${ownerOf(frame)}:${frame.lineNumber + 1}`

/** Time for loading modules and opening the database, which is not measured. */
const startSeconds = 2

/** Reads the content of a `.cpuprofile` after the start, without waiting, and the seconds of waiting. */
export async function readProfile(path: string): Promise<{ samples: Sample[]; idleSeconds: number }> {
  const { nodes, samples, timeDeltas } = JSON.parse(await readFile(path, 'utf8')) as Profile
  const frames = new Map(nodes.map((node) => [node.id, node.callFrame]))
  const parents = new Map(nodes.flatMap(({ id, children }) => (children ?? []).map((child) => [child, id] as const)))
  const times = new Map<number, number>()
  let idle = 0
  let elapsed = 0
  for (const [i, id] of samples.entries()) {
    const time = timeDeltas[i] ?? 0
    elapsed += time
    if (elapsed < startSeconds * 1e6) continue
    if (frames.get(id)?.functionName === '(idle)') idle += time
    else times.set(id, (times.get(id) ?? 0) + time)
  }
  const stackOf = (id: number): Frame[] => {
    const stack: Frame[] = []
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) stack.push(frames.get(at) as Frame)
    return stack.toReversed()
  }
  return { samples: [...times].map(([id, time]) => ({ stack: stackOf(id), time })), idleSeconds: idle / 1e6 }
}

function print(title: string, times: Map<string, number>, total: number, count: number): void {
  console.log(`\n${title}`)
  const sorted = [...times].toSorted(([, a], [, b]) => b - a).slice(0, count)
  for (const [name, time] of sorted) console.log(`  ${((100 * time) / total).toFixed(1).padStart(5)} %  ${name}`)
}

/**
 * Reads a `.cpuprofile` and reports where the busy time went: by owner and by function itself, and by Tillgate's
 * functions including what they call. Waiting is left out.
 */
export async function summarizeProfile(path: string): Promise<void> {
  const { samples, idleSeconds } = await readProfile(path)
  const own = new Map<string, number>()
  const byOwner = new Map<string, number>()
  const inclusive = new Map<string, number>()
  const add = (to: Map<string, number>, name: string, time: number) => to.set(name, (to.get(name) ?? 0) + time)
  let total = 0
  for (const { stack, time } of samples) {
    const last = stack.at(-1) as Frame
    total += time
    add(own, nameOf(last), time)
    add(byOwner, ownerOf(last), time)
    const ours = stack.filter(({ url }) => url.startsWith('file:') && !url.includes('/node_modules/'))
    for (const name of new Set(ours.map(nameOf))) add(inclusive, name, time)
  }
  const [busy, all] = [total / 1e6, total / 1e6 + idleSeconds].map((seconds) => seconds.toFixed(1))
  console.log(`${basename(path)}: busy for ${busy} of ${all} s after the first ${startSeconds}`)
  print('By owner', byOwner, total, 25)
  print('By function, on its own', own, total, 40)
  print('By function of Tillgate, with what it calls', inclusive, total, 40)
}
