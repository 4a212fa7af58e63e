import assert from 'node:assert/strict'
import { installationId } from '../../../../src/core/domain/accounts/keys.ts'
import { assertSchema, okay } from '../../../core/conformance/contract.ts'
import type { Answer, TestApp } from '../../../support/app.ts'

/** Creates a key of the installation, and the calls with it. Their paths are relative to `/v1/admin/`. */
export async function adminOf(app: TestApp) {
  const { key: admin, id: adminId } = await app.addKey(installationId, { scopes: ['admin'] })
  const get = (path: string) => app.get(`/v1/admin/${path}`, { key: admin })
  const send = (method: string, path: string, body: object = {}) =>
    app.request(method, `/v1/admin/${path}`, {
      key: admin,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  /** Reads all pages. */
  async function all(path: string, schema: Parameters<typeof okay>[1]): Promise<any[]> {
    const found: any[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: any = okay(
        await get(`${path}${path.includes('?') ? '&' : '?'}size=2${cursor && `&cursor=${cursor}`}`),
        schema,
      )
      assert.ok(found.length < 1_000)
      found.push(...page.data)
      cursor = page.meta.next
    }
    return found
  }
  return { admin, adminId, get, send, all }
}

/** Checks that a resource was created, and returns it. */
export function made(answer: Answer, schema: Parameters<typeof assertSchema>[0]): any {
  assert.equal(answer.status, 201, answer.text)
  assertSchema(schema, answer.json)
  return answer.json
}
