import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { createSender } from '../../../../src/core/delivery/sender/send.ts'
import { toAddressRange } from '../../../../src/core/domain/addresses/addresses.ts'

const sender = createSender({
  allowHttp: true,
  allowAddresses: [toAddressRange('127.0.0.0/8')],
})
after(() => sender.close())

test('an endpoint is called with exactly the registered URL, to the last character', async () => {
  const seen: (string | undefined)[] = []
  const server = createServer((request, response) => {
    seen.push(request.url)
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const paths = ['/', '/?', '/a?', '/a/?b', '/a?b=%20c&d', '/a//b/', '/a%2Fb?next=/c/', '/a?b?c']
  for (const path of paths) {
    const { ok } = await sender.send({ url: origin + path, headers: {}, body: Buffer.from('{}') })
    assert.ok(ok, path)
  }
  await sender.send({ url: origin, headers: {}, body: Buffer.from('{}') })
  assert.deepEqual(seen, [...paths, '/'])
  server.close()
  server.closeAllConnections()
})
