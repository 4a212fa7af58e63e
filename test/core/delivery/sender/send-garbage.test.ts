import assert from 'node:assert/strict'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createSender } from '../../../../src/core/delivery/sender/send.ts'
import { toAddressRange } from '../../../../src/core/domain/addresses/addresses.ts'

test('no sequence of bytes makes the sender throw, hang or break its own rules', async (t) => {
  const starts = ['HTTP/1.1 ', 'HTTP/1.0 ', 'HTTP/2 ', '200', '204', '304', '500', '099', ' ', ' OK', '100 x\r\n\r\n']
  const breaks = [
    '\r\n',
    '\n',
    '\r\n\r\n',
    '\0',
    ':',
    '0\r\n\r\n',
    '5\r\nhello\r\n',
    `${'f'.repeat(20)}\r\n`,
    'é',
    'hello',
  ]
  const lengths = [
    'content-length: 5',
    'content-length: -1',
    'content-length: 99999999999999999999',
    'trailer: x',
    'a:b',
  ]
  const codings = ['gzip', 'br', 'deflate'].map((coding) => `content-encoding: ${coding}`)
  const others = ['transfer-encoding: chunked', 'transfer-encoding: gzip', 'connection: close', 'connection: upgrade']
  const odd = ['__proto__: x', 'constructor: x', 'keep-alive: timeout=0', 'retry-after: 5']
  const pieces = fc.constantFrom(...starts, ...breaks, ...lengths, ...codings, ...others, ...odd)
  const answers = fc.tuple(
    fc.boolean(),
    fc.array(fc.oneof({ weight: 5, arbitrary: pieces }, fc.string({ unit: 'binary', maxLength: 20 })), {
      maxLength: 20,
    }),
  )
  let answer = ''
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(answer, 'latin1'))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const sender = createSender({ allowHttp: true, allowAddresses: ['127.0.0.1'].map(toAddressRange), deadlineMs: 1000 })
  t.after(async () => {
    await sender.close()
    server.close()
  })
  await fc.assert(
    fc.asyncProperty(answers, async ([hasStart, parts]) => {
      answer = (hasStart ? 'HTTP/1.1 200 OK\r\n' : '') + parts.join('')
      const outcome = await sender.send({ url, headers: {}, body: Buffer.from('{}') })
      assert.equal(outcome.ok, outcome.errorClass === null)
      assert.ok(!outcome.ok || (outcome.status >= 200 && outcome.status < 300))
      assert.ok(outcome.responseBody.isWellFormed() && !outcome.responseBody.includes('\0'))
      assert.match(outcome.message, /^[A-Z].*\.$/)
      assert.ok(!JSON.stringify(outcome).includes(String.raw`\u0000`))
    }),
    { numRuns: 500 },
  )
})
