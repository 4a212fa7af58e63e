import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Arrivals, BodyCrumbled } from '../../../src/core/http/guard/arrivals.ts'
import { CountedRequest } from '../../../src/core/http/guard/counted-request.ts'
import { Gathered } from '../../../src/core/ingest/receive/gathered.ts'

const waitMs = 60_000

const server = createServer({ IncomingMessage: CountedRequest })
before(() => once(server.listen(0, '127.0.0.1'), 'listening'))
after(() => {
  server.close()
  server.closeAllConnections()
})

/** Waits for all pending work that needs no turn of the event loop. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise<void>((resolve) => process.nextTick(resolve))
}

/** Resolves to a request whose body has not arrived yet, and the socket of its sender. */
async function received(): Promise<{ body: IncomingMessage; socket: Socket }> {
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n')
  const [body] = (await once(server, 'request')) as [IncomingMessage]
  return { body, socket }
}

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

describe('a body that is being received', () => {
  test('is read one turn of the event loop after its bytes arrive, never during the read of its socket', async () => {
    const body = new PassThrough()
    const arrivals = new Arrivals(body)
    let got: Buffer | null | undefined
    void arrivals.next(waitMs).then((bytes) => (got = bytes))
    await turn()
    await settle()
    body.write('one')
    await settle()
    assert.equal(got, undefined)
    await turn()
    await settle()
    assert.equal(String(got), 'one')
  })

  test('is read at once and to its end if all of it has arrived', async () => {
    const body = Object.assign(new PassThrough(), { complete: true })
    const arrivals = new Arrivals(body)
    body.end('all')
    await settle()
    const got: unknown[] = []
    void arrivals.next(waitMs).then(async (bytes) => got.push(String(bytes), await arrivals.next(waitMs)))
    await settle()
    assert.deepEqual(got, ['all', undefined])
  })

  test('is returned joined if it arrives in small pieces', async () => {
    const body = new PassThrough()
    const arrivals = new Arrivals(body)
    for (const letter of 'pieces') body.write(letter)
    assert.equal(String(await arrivals.next(waitMs)), 'pieces')
    body.end()
    assert.equal(await arrivals.next(waitMs), undefined)
  })

  test('is refused after 4,000 pieces of less than 16 bytes on average', async () => {
    for (const [size, pieces, isRefused] of [
      [1, 4_000, false],
      [1, 4_001, true],
      [15, 4_001, true],
      // The parser emits two pieces for two reads.
      [17, 20_000, false],
    ] as const) {
      const { body, socket } = await received()
      socket.end(chunk('x'.repeat(size)).repeat(pieces) + chunk(''))
      const arrivals = new Arrivals(body)
      const read = async () => {
        let bytes = 0
        for (let part = await arrivals.next(waitMs); part; part = await arrivals.next(waitMs)) bytes += part.length
        return bytes
      }
      if (isRefused) await assert.rejects(read, BodyCrumbled, `${pieces} of ${size}`)
      else assert.equal(await read(), size * pieces)
    }
  })

  test('is refused as soon as one piece too many arrives, also while a read is waiting', async () => {
    const { body, socket } = await received()
    const arrivals = new Arrivals(body)
    socket.write(chunk('x').repeat(4_000))
    for (let bytes = 0; bytes < 4_000;) bytes += (await arrivals.next(waitMs))?.length ?? NaN
    const refused = assert.rejects(arrivals.next(waitMs), BodyCrumbled)
    await turn()
    socket.write(chunk('x'))
    await refused
  })

  test('is not read any further after it was refused', async () => {
    const { body, socket } = await received()
    const arrivals = new Arrivals(body)
    socket.write(chunk('x'.repeat(59_000)))
    let got = ''
    while (got.length < 59_000) got += String(await arrivals.next(waitMs))
    // All chunks are in one read of the connection: with the last one, the average would be 16 bytes again.
    socket.write(chunk('x').repeat(4_000) + chunk('y'.repeat(20_000)) + chunk(''))
    await assert.rejects(async () => {
      for (;;) got += String(await arrivals.next(waitMs))
    }, BodyCrumbled)
    assert.match(got, /^x{59000,63000}$/)
    await assert.rejects(new Arrivals(body).next(waitMs), BodyCrumbled)
  })

  test('rejects the waiting read when it is no longer read', async () => {
    const arrivals = new Arrivals(new PassThrough())
    const waiting = arrivals.next(waitMs)
    await turn()
    arrivals.stop()
    await assert.rejects(waiting, /no longer read/)
    await assert.rejects(arrivals.next(waitMs), /no longer read/)
  })

  test('reports silence, an error and an early close', async () => {
    assert.equal(await new Arrivals(new PassThrough()).next(1), null)
    const broken = new PassThrough()
    const arrivals = new Arrivals(broken)
    broken.destroy(new Error('cut'))
    await assert.rejects(arrivals.next(waitMs), /cut/)
    const closed = new PassThrough()
    const others = new Arrivals(closed)
    closed.destroy()
    await assert.rejects(others.next(waitMs), /closed before its end/)
  })
})

describe('the received part of a body', () => {
  test('contains the pieces in order; bytes beyond the limit are only counted', () => {
    const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, i) => (i * 7919) % 251))
    for (const limit of [1_000, 300_000, 262_144, 524_288, 1_000_000]) {
      const gathered = new Gathered(limit)
      for (const size of [1_000, 262_144, 700_000]) {
        let held = 0
        for (let from = 0; from < bytes.length; from += size) held += gathered.append(bytes.subarray(from, from + size))
        assert.deepEqual([gathered.length, gathered.isOver], [bytes.length, limit < bytes.length])
        assert.ok(held >= Math.min(limit, bytes.length) && held < Math.min(limit, bytes.length) + 262_144 * 2)
        assert.deepEqual(gathered.take(), bytes.subarray(0, limit))
      }
    }
  })

  test('is discarded and makes room for the next body without allocating memory for each', () => {
    const piece = Buffer.alloc(512 * 1024)
    const giveUp = () => {
      const gathered = new Gathered(8 * 1024 * 1024)
      for (let i = 0; i < 16; i++) gathered.append(piece)
      gathered.drop()
    }
    giveUp()
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    for (let i = 0; i < 20; i++) {
      giveUp()
      most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }
    assert.ok(most < 16 * 1024 * 1024, `${most} bytes more for 20 bodies of 8 MiB`)
  })
})
