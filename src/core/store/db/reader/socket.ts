import { Socket, type SocketConstructorOpts } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Opener, Opening } from '../driver/client.ts'
import { AnswerOfAnother } from '../driver/answers.ts'
import { BrokenAnswer, type AnswerHandler, type ReceivedBytes } from './wire.ts'

/** Where bytes go as they arrive, the handler of each message in them, and the handler of an invalid answer. */
export type Receiver = { incoming: ReceivedBytes; answer: AnswerHandler; broken: (error: Error) => void }

/**
 * Opens a socket to a database that is ready for queries. `pg` connects, with TLS and passwords; after that, what
 * arrives goes to the receiver, which ends the socket if an answer is invalid. Rejects with the error of the network or
 * the server.
 */
export async function openSocket(opener: Opener, opening: Opening, receiver: Receiver): Promise<Duplex> {
  const { incoming, answer } = receiver
  let own: { socket: Socket; isOurs: boolean } | undefined
  // Makes a socket that reads into one buffer, without a buffer per read; under TLS, Node reads the socket.
  const socketOf = (isTls: boolean) => {
    if (isTls) {
      own = undefined
      return undefined
    }
    const arrived = (count: number, bytes: Uint8Array) => {
      if (made.isOurs) unlessBroken(receiver, () => incoming.arrived(count, answer))
      else made.socket.emit('data', Buffer.from(bytes.subarray(0, count)))
    }
    const made = { socket: new Socket(readInto(incoming, arrived)), isOurs: false }
    own = made
    return made.socket
  }
  const client = await opener.open({ ...opening, socket: socketOf })
  const { stream: socket } = (client as unknown as { connection: { stream: Duplex } }).connection
  socket.removeAllListeners('data').removeAllListeners('close')
  if (own) own.isOurs = true
  else socket.on('data', (bytes: Buffer) => unlessBroken(receiver, () => copyIn(bytes, incoming, answer)))
  return socket
}

const readInto = (
  incoming: ReceivedBytes,
  arrived: (count: number, bytes: Uint8Array) => void,
): SocketConstructorOpts => ({
  onread: {
    buffer: () => incoming.free(),
    callback: (count, bytes) => {
      arrived(count, bytes)
      return true
    },
  },
})

/** Reads, and reports an invalid answer, after which the following bytes cannot be interpreted. */
function unlessBroken({ broken }: Receiver, read: () => void): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof BrokenAnswer || error instanceof AnswerOfAnother)) throw error
    broken(error)
  }
}

function copyIn(bytes: Buffer, incoming: ReceivedBytes, answer: AnswerHandler): void {
  for (let from = 0; from < bytes.length;) {
    const count = bytes.copy(incoming.free(), 0, from)
    incoming.arrived(count, answer)
    from += count
  }
}
