import { EventPage, type EventType } from '../../../src/core/schemas/events.ts'
import { okay } from '../conformance/contract.ts'
import type { Site, TestApp } from '../../support/app.ts'
import { order, versionOf } from '../../support/records.ts'

export type Event = { id: string; type: EventType; sequence: number; data: any }

/** Builds the functions that read pages of the feed. */
export function feedOf(app: TestApp) {
  const readPage = async (site: Site, query = '') =>
    okay(await app.get(`/v1/events/${query}`, { key: site.key }), EventPage) as {
      data: Event[]
      meta: { next: number; head: number; epoch: string }
    }

  const read = async (site: Site, query = '') => {
    const { data, meta } = await readPage(site, query)
    const { epoch: _, ...place } = meta
    return { data, meta: place }
  }
  return { readPage, read }
}

export const one = (site: Site, n: number) => order(versionOf(site.id, n, 1))
export const many = (site: Site, from: number, count: number) =>
  Array.from({ length: count }, (_, i) => one(site, from + i))

/** Returns both events of each new, paid order. */
export const pairs = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => [`${from + i} order.created`, `${from + i} order.paid`]).flat()
