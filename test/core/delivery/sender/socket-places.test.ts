import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createSender } from '../../../../src/core/delivery/sender/send.ts'
import { SocketPlaces } from '../../../../src/core/delivery/sender/socket-places.ts'
import { parseAddressRange, type AddressRange } from '../../../../src/core/domain/addresses/addresses.ts'
import { eventually, gate } from '../../../support/waiting.ts'

test('slots are granted in the order of the requests, and abandoned requests are skipped', () => {
  const places = new SocketPlaces(1)
  const begun: number[] = []
  const take = (n: number) => places.take('a', () => void begun.push(n))
  take(1)
  take(2)
  const giveUp = take(3)
  take(4)
  assert.deepEqual(begun, [1])
  giveUp()
  places.free('a')
  places.free('a')
  assert.deepEqual(begun, [1, 2, 4])
})

test('an owner never gets all slots, so that another one finds some at once', () => {
  const places = new SocketPlaces(8)
  const begun: string[] = []
  const take = (owner: string) => places.take(owner, () => void begun.push(owner))
  for (let n = 0; n < 20; n++) take('a')
  assert.equal(begun.length, 4, 'half of them')
  for (let n = 0; n < 20; n++) take('b')
  assert.deepEqual(begun.slice(4), ['b', 'b'])
  take('c')
  assert.deepEqual(begun.slice(6), ['c'])
  // `a` has waited longest. It may open a connection only after it has closed two: then it has fewer connections than
  // are free.
  for (let n = 0; n < 2; n++) places.free('a')
  assert.deepEqual(begun.slice(7), ['a'])
})

test('hanging deliveries of one owner do not delay a delivery of another', async () => {
  const { opened, open } = gate()
  let hanging = 0
  const server = createServer((request, response) => {
    request.resume()
    const answer = async () => {
      if (request.url !== '/well') {
        hanging += 1
        await opened
      }
      response.end()
    }
    void answer()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const allowAddresses = [parseAddressRange('127.0.0.0/8') as AddressRange]
  const sender = createSender({ allowHttp: true, allowAddresses, maxSockets: 8 })
  const post = (path: string, owner: string) =>
    sender.send({ url: `http://127.0.0.1:${port}/${path}`, headers: {}, body: Buffer.from('{}'), owner })
  const hung = Array.from({ length: 12 }, (_, n) => post(String(n), 'a'))
  await eventually(() => hanging === 4, 'they have half of all connections')
  const well = await post('well', 'b')
  assert.ok(well.ok, well.message)
  assert.equal(hanging, 4)
  open()
  for (const { ok, message } of await Promise.all(hung)) assert.ok(ok, message)
  await sender.close()
  server.closeAllConnections()
  server.close()
})

test('a sender opens no more connections than its limit, and ends idle ones for those that wait', async () => {
  let [underWay, most] = [0, 0]
  const { opened, open } = gate()
  const server = createServer((request, response) => {
    underWay += 1
    most = Math.max(most, underWay)
    request.resume()
    const answer = async () => {
      await opened
      underWay -= 1
      // An idle connection would stay open for longer than the deadline of the requests that wait for it to end.
      response.writeHead(200, { 'keep-alive': 'timeout=600' }).end()
    }
    void answer()
  })
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sender = createSender({
    allowHttp: true,
    allowAddresses: [parseAddressRange('127.0.0.0/8') as AddressRange],
    maxSockets: 2,
  })
  // Each endpoint has its own pool, whose connection stays open for the next delivery to the endpoint.
  const posts = [1, 2, 3, 4, 5, 6].map((n) =>
    sender.send({ url: `http://127.0.0.1:${port}/${n}`, headers: {}, body: Buffer.from('{}'), owner: String(n) }),
  )
  await eventually(() => underWay === 2, 'two are under way')
  open()
  for (const { ok, message } of await Promise.all(posts)) assert.ok(ok, message)
  assert.equal(most, 2)
  await sender.close()
  server.closeAllConnections()
  server.close()
})
