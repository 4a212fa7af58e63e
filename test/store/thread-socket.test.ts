import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { ThreadSocket } from '../../src/store/db/reader/thread-socket.ts'
import { atEnd } from '../support/database.ts'

const directory = await mkdtemp(join(tmpdir(), 'tillgate-socket-'))
atEnd(() => rm(directory, { recursive: true }))

const path = (name: string) => join(directory, name)

async function listen(name: string, onSocket: (socket: Socket) => void): Promise<Server> {
  const server = createServer(onSocket).listen(path(name))
  await once(server, 'listening')
  return server
}

async function open(name: string): Promise<ThreadSocket> {
  const socket = new ThreadSocket().connect(path(name))
  await once(socket, 'connect')
  return socket
}

/** Counts, in a thread, the bytes that come to a path; ready when it listens. */
const counting = `
const { workerData, parentPort } = require('node:worker_threads')
const { createServer } = require('node:net')
const server = createServer((socket) => socket.on('data', ({ length }) => {
  Atomics.add(workerData.count, 0, length)
  Atomics.notify(workerData.count, 0)
}))
server.listen(workerData.path, () => parentPort.postMessage('listening'))`

test('what is long goes on while the event loop is busy', async () => {
  const count = new Int32Array(new SharedArrayBuffer(4))
  const receiver = new Worker(counting, { eval: true, workerData: { count, path: path('busy') } })
  await once(receiver, 'message')
  const socket = await open('busy')
  const bytes = Buffer.allocUnsafeSlow(8 * 1024 * 1024)
  const { length } = bytes
  socket.write(bytes)
  // Nothing of this event loop runs until all is there: a socket of it would stop after the first 208 KiB.
  for (let seen = 0; seen < length; seen = Atomics.load(count, 0))
    if (Atomics.wait(count, 0, seen, 60_000) === 'timed-out') break
  assert.equal(Atomics.load(count, 0), length)
  socket.destroy()
  await receiver.terminate()
})

test('bytes come and go in their order, and both sides end', async () => {
  const server = await listen('echo', (socket) => socket.pipe(socket))
  const socket = await open('echo')
  // As short as those that share a place, and longer than any of them.
  const lengths = [...Array.from({ length: 300 }, (_, i) => i * 37), 32_767, 32_768, 65_535, 65_536, 65_537, 200_000]
  const sent = lengths.map((length, i) => Buffer.from(`${i}.`.repeat(length).slice(0, length)))
  const all = Buffer.concat(sent)
  for (const bytes of sent) socket.write(bytes)
  socket.end()
  const received: Buffer[] = []
  for await (const bytes of socket) received.push(bytes as Buffer)
  assert.ok(Buffer.concat(received).equals(all))
  assert.ok(socket.destroyed)
  server.close()
  await once(server, 'close')
})

test('its thread loads nothing that the process was told to load', async () => {
  const server = await listen('alone', (socket) => void socket.resume())
  const { NODE_OPTIONS: before = '' } = process.env
  process.env['NODE_OPTIONS'] = '--import=data:text/javascript,process.exit(1)'
  const socket = await open('alone').finally(() => (process.env['NODE_OPTIONS'] = before))
  socket.destroy()
  server.close()
  await once(server, 'close')
})

test('what fails is told with the code of the system', async () => {
  const missing = new ThreadSocket().connect(path('nobody'))
  const [error] = (await once(missing, 'error')) as [NodeJS.ErrnoException]
  assert.equal(error.code, 'ENOENT')
  assert.match(error.message, /nobody/)
})

test('it closes when the other side does, and when it is destroyed', async () => {
  const server = await listen('closing', (socket) => void socket.resume())
  const both = async () => {
    const accepted = once(server, 'connection') as Promise<[Socket]>
    return [await open('closing'), ...(await accepted)] as const
  }
  const [left, leaving] = await both()
  left.resume()
  leaving.end()
  await once(left, 'close')
  const [given, other] = await both()
  const closed = once(other, 'close')
  given.destroy()
  await closed
  server.close()
  await once(server, 'close')
})
