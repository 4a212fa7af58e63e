import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { order, smallOrderOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const app = await startApp()
// Documents are short and long, so that pages have from some hundred bytes to a quarter of a megabyte.
await app.store(
  Array.from({ length: 200 }, (_, n) =>
    order(smallOrderOf(app.location, n, { operatorName: `${n} é `.repeat(n % 3 === 0 ? 900 : 5) })),
  ),
)

const paths = [1, 2, 7, 40, 100].flatMap((size) => [0, 1, 2].map((index) => `/v1/orders/?size=${size}&index=${index}`))

async function open(path: string): Promise<IncomingMessage> {
  const request = get(app.url + path, { headers: { 'x-api-key': app.key }, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}

/** Sockets of the server, by the port of the client. */
const served = new Map<number | undefined, Socket>()
app.app.server.on('connection', (socket: Socket) => served.set(socket.remotePort, socket))

/** Sends all requests at once on one connection, and reads only when the buffers of the operating system are full. */
async function readLate(all: readonly string[]): Promise<string[]> {
  const socket = connect(app.port, '127.0.0.1')
  const head = `Host: 127.0.0.1:${app.port}\r\nX-API-Key: ${app.key}\r\n`
  const last = all.length - 1
  const requests = all.map(
    (path, i) => `GET ${path} HTTP/1.1\r\n${head}${i === last ? 'Connection: close\r\n' : ''}\r\n`,
  )
  socket.write(requests.join(''))
  await once(socket, 'connect')
  await eventually(() => (served.get(socket.localPort)?.writableLength ?? 0) > 0, 'the server has to wait')
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  const texts: string[] = []
  for (let rest = Buffer.concat(chunks); rest.length > 0;) {
    const body = rest.indexOf('\r\n\r\n') + 4
    const length = Number(/content-length: (\d+)/i.exec(rest.toString('latin1', 0, body))?.[1])
    texts.push(rest.toString('utf8', body, body + length))
    rest = rest.subarray(body + length)
  }
  return texts
}

/** Disconnects in the middle of the response. */
async function leave(path: string): Promise<void> {
  const response = await open(path)
  await once(response, 'data')
  response.on('error', () => {}).destroy()
}

test('pages that are read concurrently, slowly or partly contain no byte of one another', async () => {
  const expected = new Map<string, string>()
  for (const path of paths) expected.set(path, (await app.get(path)).text)
  for (const text of expected.values()) assert.equal(JSON.parse(text).meta.totalCount, 200)
  const many = Array.from({ length: 10 }, () => paths).flat()
  await Promise.all([
    ...[0, 1, 2].map(async () => {
      const texts = await readLate(many)
      assert.equal(texts.length, many.length)
      for (const [i, path] of many.entries()) assert.ok(texts[i] === expected.get(path), path)
    }),
    ...many.map(async (path, i) => {
      if (i % 5 === 4) await leave(path)
      else assert.ok((await app.get(path)).text === expected.get(path), path)
    }),
  ])
  for (const path of paths) assert.equal((await app.get(path)).text, expected.get(path))
})
