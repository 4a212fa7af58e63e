import assert from 'node:assert/strict'
import { SignedIn, sessionTimes, type SessionScope } from '../../../../src/modules/console/schemas/console.ts'
import { createConsoleLink, type LinkGrant } from '../../../../src/modules/console/store/console-sessions.ts'
import { assertSchema } from '../../../core/conformance/contract.ts'
import type { Answer, RequestOptions, TestApp } from '../../../support/app.ts'

export const own = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
export const cookieOf = (answer: Answer) => String(answer.headers['set-cookie']).split(';', 1)[0] as string
export const codeOf = (link: Answer) => new URL(link.json.url).hash.replace('#code=', '')

/** Builds the calls of a browser to the console, and the links that open it. */
export function consoleOf(app: TestApp, clock: () => number) {
  /** Secrets of pages, by the cookie that belongs to them. */
  const secrets = new Map<string, string>()
  const pageOf = (cookie: unknown) => secrets.get(/=([^;]*)/.exec(String(cookie))?.[1] ?? '')

  const call = (method: string, path: string, options: RequestOptions = {}) => {
    const pageSecret = pageOf(options.headers?.['cookie'])
    const page: Record<string, string> = pageSecret === undefined ? {} : { 'tillgate-page': pageSecret }
    const headers = { 'sec-fetch-site': 'same-origin', ...page, ...options.headers }
    return app.request(method, path, { key: null, ...options, headers })
  }

  const signIn = (body: object, headers: Record<string, string> = {}) =>
    app.request('POST', '/console/api/session', {
      key: null,
      headers: { ...own, ...headers },
      body: JSON.stringify(body),
    })

  async function signedIn(body: object): Promise<{ cookie: string; session: any }> {
    const answer = await signIn(body)
    assert.equal(answer.status, 201, answer.text)
    assertSchema(SignedIn, answer.json)
    secrets.set(cookieOf(answer).split('=')[1] as string, answer.json.pageSecret)
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
  return { call, pageOf, signIn, signedIn, codeFor, linkBy }
}
