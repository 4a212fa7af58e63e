import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { startChild } from './support/child.ts'
import { openEmbeddedServer } from './support/embedded.ts'
import { within } from './support/figures.ts'
import { findPeer, leftOut, peerPath } from './support/peers.ts'
import { hasRedis, startRedis } from './support/redis.ts'
import { ask, type Server, type Site } from './support/server.ts'
import type { Sink } from './support/sink.ts'

export type Contestant = {
  name: string
  /** Queues everything to be delivered; not timed. */
  load(): Promise<unknown>
  /** Resolves when everything is delivered and recorded. */
  go(): Promise<unknown>
}

/** Maximum concurrent requests of every contestant: the default of a webhook. */
const concurrency = 8

type Setting = {
  directory: string
  server: Server
  site: Site
  sink: Sink
  count: number
  later: (end: () => Promise<unknown>) => void
}

/** Creates a webhook that receives every order ever created: earlier orders are replayed. */
export async function createWebhook(server: Server, site: Site, endpointUrl: string) {
  const events = ['order.created']
  const input = { events, endpointUrl, locationId: site.locationId, recipientId: randomUUID() }
  const { id } = await ask<{ id: string }>(server, site, '/v1/webhooks/', input)
  const { secret } = await ask<{ secret: string }>(server, site, `/v1/webhooks/${id}/secret`)
  return { id, secret }
}

/** Resolves when the webhook has no pending event. */
export async function caughtUp(server: Server, site: Site, id: string): Promise<void> {
  for (;;) {
    const { behind } = await ask<{ behind: number }>(server, site, `/v1/webhooks/${id}/status`)
    if (behind === 0) return
    await delay(100)
  }
}

/** Starts Tillgate, the limit and the installed contestants, in this order. `remarks` names the missing ones. */
export async function startContestants(setting: Setting): Promise<{ contestants: Contestant[]; remarks: string[] }> {
  const { directory, server, site, sink, count, later } = setting
  const first = await createWebhook(server, site, sink.url)
  const { secret } = first
  let { id } = first
  const ours: Contestant = {
    name: 'Tillgate',
    // Each round has its own webhook, because replays of a webhook are limited.
    load: async () => ({ id } = await createWebhook(server, site, sink.url)),
    go: async () => {
      await ask(server, site, `/v1/webhooks/${id}/replay`, { sequence: 1 })
      await within(120_000, 'delivery', caughtUp(server, site, id))
    },
  }
  // The other contestants send the bodies received in this first round.
  const path = join(directory, 'bodies.ndjson')
  await sink.expect(count, path)
  await ours.go()
  const { sample } = await sink.reached()
  new Webhook(secret).verify(sample.body, sample.headers as Record<string, string>)

  const enter = async (name: string, program: string, more: object = {}): Promise<Contestant> => {
    const child = startChild(program)
    later(() => child.stop())
    await child.ask('start', { url: sink.url, secret, concurrency, ...more })
    const tell = (what: string) => child.ask(what, { path }, 120_000)
    return { name, load: () => tell('load'), go: () => tell('go') }
  }
  const contestants = [ours, await enter('a bare loop', peerPath('delivery', 'bare.js'))]
  const remarks: string[] = []

  const bullmq = findPeer('delivery', 'bullmq.js', 'bullmq')
  if (!bullmq) remarks.push(leftOut('BullMQ', 'delivery'))
  else if (!hasRedis()) remarks.push('BullMQ is left out: it needs redis-server (Debian: apt install redis-server)')
  else {
    await mkdir(join(directory, 'redis'), { recursive: true })
    const redis = await startRedis(join(directory, 'redis'))
    later(() => redis.stop())
    contestants.push(await enter('BullMQ + Redis', bullmq, { redisPort: redis.port }))
  }
  const pgBoss = findPeer('delivery', 'pg-boss.js', 'pg-boss')
  if (!pgBoss) remarks.push(leftOut('pg-boss', 'delivery'))
  else {
    const embedded = await openEmbeddedServer(server.dataDir)
    later(() => embedded.release())
    const connection = await embedded.createDatabase('pg_boss')
    contestants.push(await enter('pg-boss', pgBoss, { connection }))
  }
  return { contestants, remarks }
}
