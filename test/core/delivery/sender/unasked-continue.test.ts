import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { toAddressRange } from '../../../../src/core/domain/addresses/addresses.ts'
import { createSender } from '../../../../src/core/delivery/sender/send.ts'
import { atEnd } from '../../../support/database.ts'

const sender = createSender({ allowHttp: true, allowAddresses: [toAddressRange('127.0.0.0/8')], deadlineMs: 5_000 })
atEnd(() => sender.close())

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const next = 'HTTP/1.1 100 Continue\r\n\r\n'

/** Starts a receiver that answers each request with these pieces, each written separately. */
async function receiver(
  pieces: readonly string[],
): Promise<{ url: string; requests: () => number; connections: () => number }> {
  let [requests, connections] = [0, 0]
  const answer = async (socket: Socket) => {
    requests += 1
    for (const piece of pieces) {
      socket.write(piece)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const server = createServer((socket) => {
    connections += 1
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('data', (data) => {
      if (data.includes('"end"')) void answer(socket)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(async () => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, requests: () => requests, connections: () => connections }
}

const send = (url: string) => sender.send({ url, headers: {}, body: Buffer.from('{"at":"end"}') })

const cases: [string, string[]][] = [
  ['one before the answer', [next, ok]],
  ['one with the answer in a packet', [next + ok]],
  ['a byte at a time', Array.from(next + ok)],
  ['with fields', [`HTTP/1.1 100 Continue\r\nserver: x\r\ndate: y\r\n\r\n${ok}`]],
  ['without words, of HTTP/1.0', [`HTTP/1.0 100\r\n\r\n`, ok]],
  ['ten of them', [next.repeat(10), ok]],
  ['with early hints', [next, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', ok]],
]

for (const [name, pieces] of cases)
  test(`a receiver that sends an unrequested 100 Continue gets its events: ${name}`, async () => {
    const { url, requests, connections } = await receiver(pieces)
    for (let i = 0; i < 3; i++) {
      const outcome = await send(url)
      assert.deepEqual([outcome.ok, outcome.status, outcome.responseBody], [true, 200, 'ok'], outcome.message)
    }
    assert.deepEqual([requests(), connections()], [3, 1], 'on one connection, which is kept')
  })

test('a receiver that sends only 100 Continue fails', async () => {
  const { url } = await receiver([next.repeat(100), ok])
  const outcome = await send(url)
  assert.equal(outcome.ok, false)
})
