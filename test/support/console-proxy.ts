import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { problems, type ProblemCode } from '../../src/core/contract/errors/errors.ts'
import type { Fault } from '../../src/core/contract/errors/errors.ts'

/** The response in place of the server's: a problem, or the response of a proxy that is not Tillgate. */
export type Refusal = { code: ProblemCode; retryAfterS?: number; errors?: Fault[] } | { status: number; html: string }

export type ConsoleProxy = {
  url: string
  /** From now on answers API requests of the page with a refusal, except signing in. Null forwards all requests. */
  refuse(refusal: Refusal | null, of?: RegExp): void
  /** Times of refused API requests, in milliseconds. */
  readonly refusedAt: readonly number[]
  close(): Promise<void>
}

/** Answers with the HTML of a refusal, or with the problem document of its code, as `sendProblem` makes it. */
function answer(refusal: Refusal, request: IncomingMessage, response: ServerResponse): void {
  if ('html' in refusal) {
    response.writeHead(refusal.status, { 'content-type': 'text/html' }).end(refusal.html)
    return
  }
  const { code, retryAfterS, errors } = refusal
  const [status, title, detail] = problems[code]
  const requestId = randomUUID()
  const document = {
    type: `https://pos.example/docs/errors/${code}`,
    title,
    status,
    detail,
    instance: request.url?.split('?', 1)[0],
    code,
    requestId,
    ...(errors && { errors }),
  }
  const headers = { 'content-type': 'application/problem+json', 'x-request-id': requestId }
  response.writeHead(status, { ...headers, ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }) })
  response.end(JSON.stringify(document))
}

/** Starts a reverse proxy in front of the server. It answers some requests itself, like a server with problems. */
export async function startConsoleProxy(target: string): Promise<ConsoleProxy> {
  let refusal: Refusal | null = null
  let refused = /./
  const refusedAt: number[] = []
  const { hostname, port } = new URL(target)
  const server = createServer((request, response) => {
    const { method = 'GET', url = '/', headers } = request
    if (refusal !== null && url.includes('/console/api/v1/') && refused.test(`${method} ${url}`)) {
      refusedAt.push(Date.now())
      request.resume()
      answer(refusal, request, response)
      return
    }
    const passed = send({ hostname, port, method, path: url, headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(response)
    })
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    request.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse: (next, of = /./) => {
      refusal = next
      refused = of
    },
    refusedAt,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
