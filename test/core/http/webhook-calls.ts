import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Site, TestApp } from '../../support/app.ts'

export const json = { 'content-type': 'application/json' }
export const endpointUrl = 'https://partner.example/hooks'

export function inputFor(site: Site, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { events: ['order.paid'], endpointUrl, locationId: site.id, recipientId: randomUUID(), ...changes }
}

/** Builds the functions that register webhooks. */
export function registrationsOf(app: TestApp) {
  const post = (path: string, body: unknown, key = app.key, via: TestApp = app) =>
    via.request('POST', path, { key, headers: json, body: typeof body === 'string' ? body : JSON.stringify(body) })

  async function create(site: Site, changes: Record<string, unknown> = {}) {
    const answer = await post('/v1/webhooks/', inputFor(site, changes), site.key)
    assert.equal(answer.status, 201, answer.text)
    return answer.json
  }
  return { post, create }
}
