import { writeFile } from 'node:fs/promises'
import { nameOf, ownerOf, readProfile } from './profile.ts'
import { escape } from './support/svg.ts'

type Node = { name: string; owner: string; time: number; children: Map<string, Node> }

const width = 1200
const rowHeight = 17

/** Minimum width of a drawn frame, in pixels. */
const least = 1.5

const newNode = (name: string, owner: string): Node => ({ name, owner, time: 0, children: new Map() })

function colour(owner: string): string {
  if (owner.startsWith('src/')) return '#2dd4bf'
  if (owner.endsWith('(package)')) return '#93c5fd'
  if (owner === '(garbage collector)') return '#f0abfc'
  if (owner === '(native)' || owner === '(program)') return '#fca5a5'
  return '#d4d4d8'
}

type Scale = { perTime: number; total: number }

function draw(node: Node, left: number, depth: number, scale: Scale): { svg: string; depth: number } {
  const { perTime, total } = scale
  const size = node.time * perTime
  const share = `${((100 * node.time) / total).toFixed(1)} %`
  const room = Math.floor((size - 6) / 6.6)
  const label = room < 3 ? '' : node.name.slice(0, room)
  const [x, y] = [left.toFixed(1), depth * rowHeight]
  const parts = [
    `<g><title>${escape(`${node.name} ${share}`)}</title>`,
    `<rect x="${x}" y="${y}" width="${size.toFixed(1)}" height="${rowHeight - 1}" fill="${colour(node.owner)}"/>`,
    label && `<text x="${(left + 3).toFixed(1)}" y="${y + 12}">${escape(label)}</text>`,
    '</g>',
  ]
  let deepest = depth
  let at = left
  for (const child of [...node.children.values()].toSorted((a, b) => b.time - a.time)) {
    if (child.time * perTime >= least) {
      const drawn = draw(child, at, depth + 1, scale)
      parts.push(drawn.svg)
      deepest = Math.max(deepest, drawn.depth)
    }
    at += child.time * perTime
  }
  return { svg: parts.join(''), depth: deepest }
}

/**
 * Draws a `.cpuprofile` as a flame graph, callers above the functions they call, with widths proportional to time:
 * Tillgate green, packages blue, Node gray, system calls and the like red, garbage collection violet.
 */
export async function flame(path: string, target: string): Promise<void> {
  const { samples } = await readProfile(path)
  const root = newNode('all', '')
  for (const { stack, time } of samples) {
    let at = root
    at.time += time
    for (const frame of stack.slice(1)) {
      const name = nameOf(frame)
      const child = at.children.get(name) ?? newNode(name, ownerOf(frame))
      at.children.set(name, child)
      child.time += time
      at = child
    }
  }
  const { svg, depth } = draw(root, 0, 0, { perTime: width / root.time, total: root.time })
  const height = (depth + 1) * rowHeight
  const box = `xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`
  const style = 'text{font:11px ui-monospace,monospace;fill:#18181b}rect{stroke:#fff;stroke-width:.5}'
  await writeFile(target, `<svg ${box} role="img" aria-label="Flame graph"><style>${style}</style>${svg}</svg>\n`)
  console.log(`drawn to ${target}`)
}
