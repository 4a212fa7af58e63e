import assert from 'node:assert/strict'
import { Session, sessionTimes, type SessionScope } from '../../src/schemas/console.ts'
import { createConsoleLink, type LinkGrant } from '../../src/store/accounts/console-sessions.ts'
import { assertSchema } from '../conformance/contract.ts'
import type { Answer, RequestOptions, TestApp } from '../support/app.ts'

export const own = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
export const cookieOf = (answer: Answer) => String(answer.headers['set-cookie']).split(';', 1)[0] as string
export const codeOf = (link: Answer) => new URL(link.json.url).hash.replace('#code=', '')

/** Makes the calls of a browser in the console of the application, and the links that lead into it. */
export function consoleOf(app: TestApp, clock: () => number) {
  const call = (method: string, path: string, options: RequestOptions = {}) =>
    app.request(method, path, {
      key: null,
      ...options,
      headers: { 'sec-fetch-site': 'same-origin', ...options.headers },
    })

  const signIn = (body: object, headers: Record<string, string> = {}) =>
    app.request('POST', '/console/api/session', {
      key: null,
      headers: { ...own, ...headers },
      body: JSON.stringify(body),
    })

  async function signedIn(body: object): Promise<{ cookie: string; session: any }> {
    const answer = await signIn(body)
    assert.equal(answer.status, 201, answer.text)
    assertSchema(Session, answer.json)
    return { cookie: cookieOf(answer), session: answer.json }
  }

  async function codeFor(changes: Partial<LinkGrant> = {}): Promise<string> {
    const scopes: SessionScope[] = ['read', 'webhooks', 'admin']
    const who = { kind: 'operator' as const, name: 'operator', role: 'operator' as const, scopes, recipientId: null }
    const made = { locationIds: null, keyId: null, madeBy: 'cli', returnUrl: null, ...sessionTimes.operator }
    return (await createConsoleLink(app.pool, { ...who, ...made, ...changes }, new Date(clock()))).code
  }

  const linkBy = (key: string, body: object = {}) =>
    app.request('POST', '/v1/console/links', {
      key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return { call, signIn, signedIn, codeFor, linkBy }
}
