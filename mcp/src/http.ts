import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createServer } from './server.ts'

const mostBytes = 1_048_576

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new RangeError('the body is too large')
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }))
}

/**
 * Serves streamable HTTP at `/mcp`, without sessions: each request has its own key. Browser pages cannot use it,
 * because requests with an `Origin` or a foreign `Host` header are refused. Resolves to the address.
 */
export async function listenHttp(address: string, url: string): Promise<string> {
  const { hostname, port } = new URL(`http://${address}`)
  const server = createHttpServer((request, response) => {
    void handle(request, response).catch(() => {
      if (!response.headersSent) refuse(response, 400, 'the request cannot be parsed')
      else response.destroy()
    })
  })
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const own = `${hostname}:${(server.address() as AddressInfo).port}`
    const key = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (request.headers.origin !== undefined || request.headers.host !== own)
      return refuse(response, 403, `requests from browsers are refused, and Host must be ${own}`)
    if (request.url !== '/mcp') return refuse(response, 404, 'the path must be /mcp')
    if (request.method !== 'POST')
      return refuse(response, 405, 'the method must be POST, because there are no sessions')
    if (key === undefined) return refuse(response, 401, 'send a Tillgate key: Authorization: Bearer tg_live_…')
    const body = await readJson(request)
    const mcp = createServer({ url, key })
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    response.on('close', () => void mcp.close())
    await mcp.connect(transport)
    await transport.handleRequest(request, response, body)
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(Number(port === '' ? 80 : port), hostname, resolve)
  })
  return `http://${hostname}:${(server.address() as AddressInfo).port}/mcp`
}
