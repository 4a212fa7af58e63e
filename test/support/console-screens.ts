import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConsoleServer } from './console.ts'

const description = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8')
const { paths: operations } = JSON.parse(description) as { paths: object }

/** Screens of a session with the scopes `read` and `webhooks`, with the operation that some need. */
const screens: readonly (readonly [path: string, needs?: string])[] = [
  ['/today'],
  ['/sales?by=product&compare=previous&range=28d'],
  ['/orders?range=28d'],
  ['/orders/ORDER'],
  ['/z'],
  ['/z/REPORT'],
  ['/catalog/products'],
  ['/catalog/taxes'],
  ['/integrity'],
  ['/webhooks'],
  ['/webhooks/WEBHOOK'],
  ['/webhooks/WEBHOOK?dialog=replay', '/v1/webhooks/{id}/pending'],
  ['/events'],
  ['/key', '/v1/keys/own'],
]

/** Those that the server of this commit can show; in capitals what `screensFor` puts in. */
export const everyScreen = screens
  .filter(([, needs]) => needs === undefined || needs in operations)
  .map(([path]) => path)

/** The screens with ids of what is there: an order that is in a report, that report, and a webhook that was called. */
export async function screensFor({ url, key, location, get }: ConsoleServer, endpointUrl: string): Promise<string[]> {
  const reports = await get('/v1/reports/?size=1')
  const [{ id: reportId, orders }] = reports.data
  const body = JSON.stringify({
    endpointUrl,
    events: ['order.paid'],
    locationId: location,
    recipientId: '8a0e5f0c-3f52-4d5c-9a1b-6a1f5f0c0001',
  })
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/v1/webhooks/`, { method: 'POST', headers, body })
  const { id: webhookId } = (await answer.json()) as { id: string }
  return everyScreen.map((path) =>
    path.replace('ORDER', orders[0]).replace('REPORT', reportId).replace('WEBHOOK', webhookId),
  )
}
