import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { usualOperationsAddress, type OperationsAddress } from '../settings/operations.ts'
import { CliError } from './errors.ts'
import { isReady, type Health } from './health.ts'
import type { Log } from './log.ts'
import { metricsContentType, writeMetrics, type Snapshot } from './metrics/aggregate.ts'

export type Operations = {
  /** Such as `http://127.0.0.1:4748`. */
  url: string
  close(): void
}

/** Identifies this server for commands; null if unknown. */
export type About = { installation: string | null; url: string | null; version: string; role: string }

type Sources = {
  about: About
  health(): Promise<Health>
  /** Collects the metrics of every process. */
  metrics(): Promise<Snapshot[]>
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
  response.end(`${JSON.stringify(body)}\n`)
}

async function answer(path: string, response: ServerResponse, { about, health, metrics }: Sources): Promise<void> {
  switch (path) {
    case '/livez':
      return answerJson(response, 200, { status: 'ok' })
    case '/readyz': {
      const state = await health()
      const isOk = isReady(state)
      return answerJson(response, isOk ? 200 : 503, { status: isOk ? 'ok' : 'unavailable', ...state, ...about })
    }
    case '/metrics': {
      const text = await writeMetrics(await metrics())
      response.writeHead(200, { 'content-type': metricsContentType, 'cache-control': 'no-store' })
      response.end(text)
      return
    }
    default:
      return answerJson(response, 404, { status: 'not found', paths: ['/livez', '/readyz', '/metrics'] })
  }
}

async function listen(server: Server, { host, port }: OperationsAddress, fd?: number): Promise<void> {
  if (fd === undefined) server.listen(port, host)
  else server.listen({ fd })
  await once(server, 'listening')
}

const hasCode = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code

/**
 * Opens the listener for operators' tools, such as an orchestrator and Prometheus. The listener needs no key and shows
 * no data of a restaurant; its address should be reachable only for operators. If `given` is null, it uses the default
 * address, or, if another `serve` uses that, a free port, which is logged. Throws `CliError` if a given address is not
 * available. `fd` is a listening socket that is used instead of an address.
 */
export async function openOperations(
  given: OperationsAddress | null,
  sources: Sources,
  log: Log,
  fd?: number,
): Promise<Operations> {
  const address = given ?? usualOperationsAddress
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
    answer(path, response, sources).catch((err: unknown) => {
      log.error({ err, path }, 'the operations listener failed to respond')
      if (response.headersSent) response.destroy()
      else answerJson(response, 500, { status: 'error' })
    })
  })
  try {
    await listen(server, address, fd).catch((error: unknown) => {
      if (given !== null || !hasCode(error, 'EADDRINUSE')) throw error
      return listen(server, { ...address, port: 0 })
    })
  } catch (error) {
    const { host, port } = address
    const reason = hasCode(error, 'EADDRINUSE') ? 'is in use' : `cannot be used (${(error as Error).message})`
    throw new CliError(
      'operations_address_unusable',
      `the operations address ${host}:${port} ${reason}: choose another --operations-address, or off`,
      { cause: error },
    )
  }
  const { port } = server.address() as AddressInfo
  const url = `http://${address.host.includes(':') ? `[${address.host}]` : address.host}:${port}`
  if (given === null && port !== address.port) {
    log.warn({ url }, `port ${address.port} is in use, probably by another serve: probes and metrics are on ${port}`)
  } else log.info({ url }, 'probes and metrics')
  return {
    url,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
