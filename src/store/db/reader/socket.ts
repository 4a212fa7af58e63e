import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Client, type ClientConfig } from 'pg'
import { ThreadSocket } from './thread-socket.ts'
import { BrokenAnswer, type AnswerHandler, type ReceivedBytes } from './wire.ts'

/** Where to connect to, and what to set there. */
export type ServerAddress = { config: ClientConfig; settings: Readonly<Record<string, string>> }

const setting = 'select set_config($1, $2, false)'

/** Citus plans for the values of each statement that is more than one look at one table, and refuses to do without. */
const setUnlessCitus = `${setting} where not exists (select from pg_extension where extname = 'citus')`

/**
 * A socket to a database that is ready for queries. `pg` opens it, with all that this can mean (TLS, passwords); from
 * then on it is ours, and what arrives goes to `incoming`. One in the file system is held by a thread where that is asked for.
 * Rejects with what the network, or the server, said.
 */
export async function openSocket(
  { config, settings }: ServerAddress,
  incoming: ReceivedBytes,
  answer: AnswerHandler,
  inThread: boolean,
): Promise<Duplex> {
  let isOurs = false
  const held = inThread && config.host?.startsWith('/') ? new ThreadSocket() : null
  // Read into one place, without a buffer for each read. Under TLS, and in a thread, the socket is not ours to read.
  const plain =
    config.ssl || held
      ? null
      : new Socket({
          onread: {
            buffer: () => incoming.free(),
            callback: (count, bytes) => {
              if (isOurs) unlessBroken(plain as Socket, () => incoming.arrived(count, answer))
              else plain?.emit('data', Buffer.from(bytes.subarray(0, count)))
              return true
            },
          },
        })
  const own = held ?? plain
  const client = new Client({ ...config, ...(own ? { stream: () => own } : {}) })
  client.on('error', () => {})
  try {
    await client.connect()
    for (const [name, value] of Object.entries(settings)) {
      await client.query(name === 'plan_cache_mode' ? setUnlessCitus : setting, [name, value])
    }
  } catch (error) {
    // Not waited for: a peer that says nothing would not end it either.
    client.end().catch(() => {})
    own?.destroy()
    throw asConnectionError(error)
  }
  const { stream: socket } = (client as unknown as { connection: { stream: Duplex } }).connection
  socket.removeAllListeners('data').removeAllListeners('close')
  if (!plain) socket.on('data', (bytes: Buffer) => unlessBroken(socket, () => copyIn(bytes, incoming, answer)))
  isOurs = true
  return socket
}

/**
 * `pg` tells in words only that a connection ended, or took too long, while it was opened. Whatever has neither a code of
 * the network nor one of the server is such an end.
 */
function asConnectionError(error: unknown): unknown {
  return error instanceof Error && !('code' in error) ? Object.assign(error, { code: 'CONNECTION_CLOSED' }) : error
}

/** What follows an answer that is no answer cannot be told apart: the socket ends, and its errors say why. */
function unlessBroken(socket: Duplex, read: () => void): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof BrokenAnswer)) throw error
    socket.destroy(error)
  }
}

function copyIn(bytes: Buffer, incoming: ReceivedBytes, answer: AnswerHandler): void {
  for (let from = 0; from < bytes.length;) {
    const count = bytes.copy(incoming.free(), 0, from)
    incoming.arrived(count, answer)
    from += count
  }
}
