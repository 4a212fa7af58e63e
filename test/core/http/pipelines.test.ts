import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { begunPerTurn, spreadPipelines, waitingAtMost } from '../../../src/core/http/guard/pipelines.ts'
import { startApp } from '../../support/app.ts'
import { atEnd } from '../../support/database.ts'
import { eventually } from '../../support/waiting.ts'

async function listen(serve: RequestListener) {
  const server = createServer(serve)
  spreadPipelines(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(async () => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return () => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1')
    let text = ''
    socket.on('data', (part: string) => (text += part))
    atEnd(async () => void socket.destroy())
    return { socket, text: () => text }
  }
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`
const many = (count: number, of = '') => Array.from({ length: count }, (_, n) => get(`/${of}${n}`)).join('')

describe('the requests of one connection', () => {
  test('start a few per turn of the event loop, in order, and are all answered', async () => {
    let round = 0
    let isOver = false
    const count = () => void ((round += 1), isOver || setImmediate(count))
    setImmediate(count)
    const begun = new Map<number, string[]>()
    const open = await listen(({ url = '' }, response) => {
      begun.set(round, [...(begun.get(round) ?? []), url])
      response.end(url)
    })
    const one = open()
    one.socket.write(many(900))
    await eventually(() => one.text().endsWith('/899'), 'all are answered')
    isOver = true
    const rounds = [...begun.values()]
    // A round counts requests that started at the end of one turn and at the beginning of the next.
    const most = Math.max(...rounds.map(({ length }) => length))
    assert.ok(most <= 2 * begunPerTurn, `${most} in one turn`)
    assert.deepEqual(
      rounds.flat(),
      Array.from({ length: 900 }, (_, n) => `/${n}`),
    )
    assert.deepEqual(
      [...one.text().matchAll(/\r\n\r\n\/(\d+)/g)].map(([, n]) => Number(n)),
      Array.from({ length: 900 }, (_, n) => n),
    )
    one.socket.write(get('/again'))
    await eventually(() => one.text().endsWith('/again'), 'the connection goes on')
  })

  test('do not delay those of another connection', async () => {
    const order: string[] = []
    const open = await listen(({ url = '' }, response) => {
      order.push(url)
      response.end(url)
    })
    const [busy, other] = [open(), open()]
    await Promise.all([once(busy.socket, 'connect'), once(other.socket, 'connect')])
    // All requests fit into one read of a socket, so without turns all would begin at once.
    busy.socket.write(many(800, 'busy'))
    other.socket.write(get('/other'))
    await eventually(() => busy.text().endsWith('/busy799') && other.text().endsWith('/other'), 'all are answered')
    assert.ok(order.indexOf('/other') < 100, `${order.indexOf('/other')} were begun before it`)
  })

  test('may wait in a queue of a thousand; one more closes the connection', async () => {
    let begun = 0
    const open = await listen((_, response) => {
      begun += 1
      response.end()
    })
    assert.equal(waitingAtMost, 1_000)
    // All requests fit into one read of a socket, so they arrive in one turn.
    const most = begunPerTurn + waitingAtMost
    const full = open()
    full.socket.write(get('/').repeat(most))
    await eventually(() => begun === most, 'all that wait are begun')
    begun = 0
    const one = open()
    const closed = new Promise((resolve) => void one.socket.on('error', () => {}).once('close', resolve))
    one.socket.write(get('/').repeat(most + 1))
    await closed
    assert.equal(begun, begunPerTurn)
    const other = open()
    other.socket.write(get('/'))
    await eventually(() => other.text().includes('200 OK'), 'others go on')
  })

  test('are not started once the connection is closed', async () => {
    let begun = 0
    let closed = 0
    const open = await listen((request, response) => {
      begun += 1
      if (begun === 1) request.socket.once('close', () => (closed = begun))
      if (begun === 5) request.socket.destroy()
      else response.end()
    })
    const one = open()
    const gone = new Promise((resolve) => void one.socket.on('error', () => {}).once('close', resolve))
    one.socket.write(many(800))
    await gone
    await eventually(() => closed > 0, 'the server has closed it too')
    const other = open()
    other.socket.write(get('/x'))
    await eventually(() => other.text().includes('200 OK'), 'others go on')
    assert.ok(begun <= begunPerTurn + 1, `${begun} were begun`)
  })

  test('are read whole, with bodies between them', async () => {
    const open = await listen(async (request, response) => {
      let body = ''
      for await (const part of request.setEncoding('latin1')) body += part
      response.end(`<${request.url}:${body.length}>`)
    })
    const one = open()
    const post = (n: number) =>
      `POST /${n} HTTP/1.1\r\nhost: x\r\ncontent-length: ${n * 700}\r\n\r\n${'x'.repeat(n * 700)}`
    one.socket.write(Array.from({ length: 200 }, (_, n) => post(n)).join(''))
    await eventually(() => one.text().includes('</199:'), 'all are answered')
    const answers = [...one.text().matchAll(/<\/(\d+):(\d+)>/g)].map(([, n, length]) => [Number(n), Number(length)])
    assert.deepEqual(
      answers,
      Array.from({ length: 200 }, (_, n) => [n, 700 * n]),
    )
  })
})

test('a thousand pipelined requests with a key each get their own answer', async () => {
  const app = await startApp()
  const socket = connect(app.port, '127.0.0.1').setEncoding('latin1')
  atEnd(async () => void socket.destroy())
  let text = ''
  socket.on('data', (part: string) => (text += part))
  const requests = Array.from({ length: 1_000 }, (_, n) =>
    get('/v1/orders/?size=1', `x-api-key: ${app.key}\r\nx-request-id: r${n}\r\n`),
  )
  socket.write(requests.join(''))
  const ids = () => [...text.matchAll(/x-request-id: r(\d+)/g)].map(([, n]) => Number(n))
  await eventually(() => ids().length === 1_000, 'every request is answered')
  assert.deepEqual(
    ids(),
    requests.map((_, n) => n),
  )
})
