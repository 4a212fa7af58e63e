import { isAbsolute, relative } from 'node:path'
import type { Sales } from '#client'
import type { Delivered } from './receiver.ts'
import { lineOf, paint } from './lines.ts'
import { harmless, printJson, printPainted, some } from '../../../src/core/cli/terminal/output.ts'

export type DemoFacts = {
  /** A single-use address that signs in to the console. */
  consoleUrl: string
  name: string
  city: string
  url: string
  /** Where the data is stored. */
  place: string
  pid: number
  locationId: string
  webhookId: string
  key: string
  tillKey: string
  orders: number
  reports: number
  /** The moment from which the sales continue; null at the first start. */
  since: string | null
  /** Days of history, at the first start. */
  days: number
  /** Number of records stored before it began to sell live. */
  records: number
  seconds: number
  perMinute: number
  /** The latest Z report. */
  reportId: string | null
  /** Sales of the restaurant on the current business day. */
  today: Today
}

/** Amounts in hundredths, as of a journal sequence. */
export type Today = Record<'orders' | 'guests' | 'salesInclTax' | 'sequence', number> & {
  day: string
  currency: string
}

export function todayOf({ totals, meta }: Sales): Today {
  const { orders, guests, salesInclTax } = totals
  const { since: day, currency, sequence } = meta
  return { day, orders, guests: guests ?? 0, salesInclTax: salesInclTax ?? 0, currency, sequence }
}

/** Writes the line of the day: `Today (2026-03-14): 42 orders, 87 guests, 1,234.50 EUR so far`. */
function todayLine({ day, orders, guests, salesInclTax, currency }: Today): string {
  const sum = (salesInclTax / 100).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  return `Today (${day}): ${some(orders, 'order')}, ${some(guests, 'guest')}, ${sum} ${currency} so far: GET /v1/sales/`
}

/** Writes three commands that work when pasted into a shell. */
function curlLines({ url, key, webhookId, reportId }: DemoFacts): string[] {
  const head = `-H 'X-API-Key: ${key}'`
  const report = reportId === null ? '?size=1' : `${reportId}/reconciliation`
  return [
    `curl -s ${head} '${url}/v1/orders/?sort=-createdAt&size=1'`,
    `curl -s ${head} '${url}/v1/reports/${report}'`,
    `curl -s ${head} -H 'Content-Type: application/json' -d '{}' '${url}/v1/webhooks/test/${webhookId}'`,
  ]
}

function story({ days, orders, reports, since, records, seconds }: DemoFacts): string {
  const stock = `${some(orders, 'order')} and ${some(reports, 'Z report')}`
  const took = `made in ${seconds.toFixed(1)} s`
  if (since === null) return `${some(days, 'day')} of it ${days === 1 ? 'was' : 'were'} ${took}: ${stock}.`
  const moment = new Date(since).toLocaleString('sv').slice(0, 16)
  return `Everything since ${moment} was ${took}, ${some(records, 'record')}: now ${stock}.`
}

/** Shortens a directory below the current one. */
function shorten(place: string): string {
  const path = isAbsolute(place) ? relative(process.cwd(), place) : ''
  return path === '' || path.startsWith('..') ? place : `./${path}`
}

export function announce(facts: DemoFacts, json: boolean): void {
  const curl = curlLines(facts)
  if (json) return printJson({ ...facts, curl })
  const { consoleUrl, name, city, url, place, key, tillKey, perMinute } = facts
  const rate = `${some(perMinute, 'order')} a minute`
  const lines = [
    `${paint('bold', harmless(name))}, ${harmless(city)}. ${story(facts)}`,
    '',
    `  Console    ${paint('bold', consoleUrl)}`,
    '             this link signs in once, within 10 minutes',
    '',
    `  Base URL   ${paint('bold', url)}`,
    `  Reference  ${url}/docs`,
    `  Key        ${paint('bold', key)}  reads, and registers webhooks`,
    `  Till key   ${tillKey}  pushes`,
    `  Data       ${shorten(place)}`,
    '',
    'Run in another terminal: the latest order; the latest Z report reconciled with its orders; a webhook test.',
    '',
    ...curl.map((line) => `  ${line}`),
    '',
    todayLine(facts.today),
    '',
    `It sells about ${rate}. Each line is a webhook delivery that the receiver verified. Press Ctrl-C to stop.`,
    '',
  ]
  printPainted(lines.join('\n'))
}

const quietMs = 500

/**
 * Prints deliveries as they arrive, once it is opened and has printed its heading. A delivery is answered when it is
 * printed, so one that a killed process did not print is sent again. Deliveries of changes up to `caughtUpTo` are
 * counted and reported together.
 */
export function createTicker(json: boolean) {
  const opened = Promise.withResolvers<void>()
  let caughtUpTo = 0
  let late = 0
  let timer: NodeJS.Timeout | undefined
  const printLate = () => {
    clearTimeout(timer)
    if (late > 0)
      printPainted(paint('dim', `${some(late, 'delivery', 'deliveries')} of events while it was stopped, all verified`))
    late = 0
  }
  const printDelivered = (delivered: Delivered) => {
    const { event, isTest } = delivered
    if (json) {
      const { id, type, sequence } = event
      return printJson({ delivered: type, id, sequence, verified: true, ...(isTest ? { test: true } : {}) })
    }
    if (!isTest && event.sequence <= caughtUpTo) {
      late += 1
      clearTimeout(timer)
      timer = setTimeout(printLate, quietMs)
      return
    }
    printLate()
    printPainted(lineOf(delivered))
  }
  const printRefused = (reason: string) => {
    if (json) printJson({ refused: reason })
    else printPainted(`${paint('red', '✗')} a request to the receiver was refused: ${harmless(reason)}`)
  }
  return {
    catchUpTo: (sequence: number) => void (caughtUpTo = sequence),
    delivered: async (delivered: Delivered) => {
      await opened.promise
      printDelivered(delivered)
    },
    refused: async (reason: string) => {
      await opened.promise
      printRefused(reason)
    },
    open: opened.resolve,
    close: printLate,
  }
}
