import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'undici'

/** Reads the bodies in a file, one per line, each with its id. */
export function readEvents(path) {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  return lines.map((body) => ({ id: JSON.parse(body).id, body }))
}

/**
 * Posts one event, signed according to Standard Webhooks. Throws unless the answer is a success, so that the job is
 * retried.
 */
export function createPost({ url, secret, connections }) {
  const agent = new Agent({ connections, pipelining: 1 })
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  return async ({ id, body }) => {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    }
    const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent })
    await answer.body.dump()
    if (answer.statusCode >= 300) throw new Error(`the endpoint answered ${answer.statusCode}`)
  }
}
