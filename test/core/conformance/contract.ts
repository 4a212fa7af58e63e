import assert from 'node:assert/strict'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Problem } from '../../../src/core/contract/errors/schema.ts'
import type { Answer } from '../../support/app.ts'

const compiled = new Map<TSchema, Validator>()

/** Checks a body against the schema that the OpenAPI document publishes for it. */
export function assertSchema(schema: TSchema, value: unknown): void {
  const validator = compiled.get(schema) ?? Compile(schema)
  compiled.set(schema, validator)
  assert.deepEqual(validator.Check(value) ? [] : validator.Errors(value), [])
}

/** Checks that the response is a 200 with JSON and the common headers; returns its body. */
export function okay(answer: Answer, schema: TSchema): any {
  assert.equal(answer.status, 200, answer.text.slice(0, 500))
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(answer.headers['content-length'], String(answer.bytes.length))
  assertRequestId(answer)
  assertSchema(schema, answer.json)
  return answer.json
}

export function assertRequestId(answer: Answer): void {
  assert.match(String(answer.headers['x-request-id']), /^[\w.-]{1,64}$/)
}

type Expected = { status: number; code: string; pointers?: string[] }

/**
 * Checks that the response is a problem document (RFC 9457) with this status and code. `pointers` are those of its
 * `errors`.
 */
export function assertProblem(answer: Answer, { status, code, pointers }: Expected): any {
  assert.equal(answer.status, status, answer.text.slice(0, 500))
  assert.equal(answer.headers['content-type'], 'application/problem+json; charset=utf-8')
  assertRequestId(answer)
  const problem = answer.json
  assertSchema(Problem, problem)
  assert.equal(problem.code, code)
  assert.equal(problem.status, status)
  assert.equal(problem.requestId, answer.headers['x-request-id'])
  assert.ok(problem.detail.length > 0 && problem.title.length > 0)
  assert.ok(problem.type.endsWith(`/docs/errors/${code}`))
  if (pointers) {
    const named = new Set<string>((problem.errors ?? []).map(({ pointer }: { pointer: string }) => pointer))
    assert.deepEqual([...named].toSorted(), pointers.toSorted())
  }
  return problem
}

/** Returns the path and query of a link, for a request to the same app. */
export function pathOf(link: string): string {
  const { pathname, search } = new URL(link)
  return pathname + search
}

/** Returns the links of a `Link` header, by relation (RFC 8288). */
export function linksOf(answer: Answer): Record<string, string> {
  const header = String(answer.headers['link'] ?? '')
  const links = header.split(', ').filter((text) => text !== '')
  return Object.fromEntries(
    links.map((text) => {
      const match = /^<([^<>]+)>; rel="([a-z]+)"$/.exec(text)
      assert.ok(match, `no link: ${text}`)
      return [match[2] as string, match[1] as string]
    }),
  )
}
