import { openPool, type Pool } from '../src/core/store/db/database.ts'
import { Agent, request } from 'undici'
import { startChild } from './support/child.ts'
import type { EmbeddedServer } from './support/embedded.ts'
import { timed } from './support/figures.ts'
import { findPeer, leftOut } from './support/peers.ts'
import type { Server, Site } from './support/server.ts'

/**
 * The servers that accept pushes, besides Tillgate: folders of `bench/peers`, and a package that shows whether each is
 * installed.
 */
const peers = [
  { name: 'Fastify + pg', folder: 'afternoon-pg', needs: 'pg' },
  { name: 'Fastify + Prisma', folder: 'afternoon-prisma', needs: '@prisma/client' },
]

/** Orders per request of a bulk endpoint, and concurrent requests: the best values for the peers among those tried. */
const bulk = { orders: 500, requests: 2 }

/** A server that stores orders: Tillgate, or a peer. */
export type Sink = {
  name: string
  url: string
  path: string
  /** Converts a line of NDJSON to a request for one order. */
  bodyOf: (line: string) => string
  /** The database of a peer. */
  sql?: Pool
}

export const ownSink = ({ url }: Pick<Server, 'url'>): Sink => {
  return { name: 'Tillgate', url, path: '/v1/ingest/', bodyOf: (line) => line }
}

const orderOf = (line: string) => line.slice(line.indexOf('"data":') + '"data":'.length, line.lastIndexOf('}'))

/** Starts the installed peers, each with a separate database on the same server. `remarks` names the missing ones. */
export async function startPeers(
  embedded: EmbeddedServer,
  sites: readonly Site[],
  later: (end: () => Promise<unknown>) => void,
): Promise<{ sinks: Sink[]; remarks: string[] }> {
  const [first, ...others] = sites as [Site, ...Site[]]
  const spread = { locationId: first.locationId, count: 1, perDay: 1, from: '2019-01-01' }
  const sinks: Sink[] = []
  const remarks: string[] = []
  for (const { name, folder, needs } of peers) {
    const program = findPeer(folder, 'server.js', needs)
    if (!program) {
      remarks.push(leftOut(name, folder))
      continue
    }
    const child = startChild(program)
    later(() => child.stop())
    const connection = await embedded.createDatabase(`${folder.replace('-', '_')}_ingest`)
    const url = await child.ask<string>('start', { connection, key: first.key, spread, products: [] })
    const sql = openPool(connection, { connections: 1, pipelining: true })
    later(() => sql.end())
    for (const { key, locationId } of others) await sql`insert into api_keys values (${key}, ${locationId})`
    sinks.push({ name, url, path: '/v1/orders/', bodyOf: orderOf, sql })
  }
  return { sinks, remarks }
}

async function post({ url, path }: Sink, { key }: Site, body: string, agent: Agent): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const answer = await request(`${url}${path}`, { method: 'POST', headers, body, dispatcher: agent })
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}: ${text.slice(0, 500)}`)
}

/** Measures orders per second, one per request, one request at a time per connection. The sites take turns. */
export async function pushSingly(
  sink: Sink,
  sites: readonly Site[],
  lines: readonly string[],
  { agent, connections }: { agent: Agent; connections: number },
): Promise<number> {
  let next = 0
  const lane = async () => {
    for (let at = next++; at < lines.length; at = next++) {
      await post(sink, sites[at % sites.length] as Site, sink.bodyOf(lines[at] as string), agent)
    }
  }
  const ms = await timed(() => Promise.all(Array.from({ length: connections }, lane)))
  return (lines.length * 1000) / ms
}

/** Measures orders per second through the bulk endpoint of a peer. */
export async function pushInBulk(sink: Sink, site: Site, lines: readonly string[], agent: Agent): Promise<number> {
  const bodies = Array.from({ length: Math.ceil(lines.length / bulk.orders) }, (_, i) => {
    const some = lines.slice(i * bulk.orders, (i + 1) * bulk.orders)
    return `[${some.map(orderOf).join(',')}]`
  })
  const lane = async () => {
    for (let body = bodies.shift(); body !== undefined; body = bodies.shift()) await post(sink, site, body, agent)
  }
  const ms = await timed(() => Promise.all(Array.from({ length: bulk.requests }, lane)))
  return (lines.length * 1000) / ms
}
