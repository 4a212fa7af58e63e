import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { isMainThread, parentPort, Worker, workerData, type MessagePort } from 'node:worker_threads'

/** Asks the thread to hold a socket. */
const toBeHeld = 'tillgate: a socket'

/** What the thread does: connects to a path, writes bytes, or ends what it writes. */
type Asked = { connect: string } | { write: Uint8Array<ArrayBuffer> } | 'end'

/** What the thread tells of the socket: it is open, bytes came, the other side has ended, or why it broke. */
type Told = { bytes: Uint8Array } | { code: string | undefined; message: string } | 'connect' | 'end'

/**
 * A connection to a Unix socket that a thread of its own holds, for what is long (decision 0100). Linux gives such a socket a buffer
 * of 208 KiB, and takes more as the other side reads. An event loop that has other work comes to that late each time, and the database
 * waits for the rest of a statement.
 */
export class ThreadSocket extends Duplex {
  /** Loads none of what the process was told to load (`--import`, `NODE_OPTIONS`): a tracer has nothing to do there. */
  readonly #worker = new Worker(import.meta.filename, { workerData: toBeHeld, execArgv: [], env: {} })

  constructor() {
    super({ allowHalfOpen: false })
    this.#worker.on('message', (told: Told) => this.#hear(told))
    this.#worker.on('error', (error) => this.destroy(error as Error))
    this.#worker.on('exit', () => this.destroy())
  }

  /** Emits `connect` when it is open, or `error` with the code of the system. */
  connect(path: string): this {
    this.#ask({ connect: path })
    return this
  }

  /** What a driver asks of a socket over TCP; one in the file system has neither. */
  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  override _read(): void {}

  /** What is long is handed over with its place, and cannot be read here any more; of what is short a copy is. */
  override _write(bytes: Buffer<ArrayBuffer>, _encoding: BufferEncoding, done: () => void): void {
    // Node makes short buffers in a place that they share.
    const alone = bytes.length > Buffer.poolSize ? bytes : new Uint8Array(bytes)
    this.#ask({ write: alone }, [alone.buffer])
    done()
  }

  override _final(done: () => void): void {
    this.#ask('end')
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    void this.#worker.terminate()
    done(error)
  }

  #ask(asked: Asked, handedOver: ArrayBuffer[] = []): void {
    this.#worker.postMessage(asked, handedOver)
  }

  #hear(told: Told): void {
    if (told === 'connect') this.emit('connect')
    else if (told === 'end') this.push(null)
    else if ('bytes' in told) this.push(told.bytes)
    else this.destroy(Object.assign(new Error(told.message), told.code === undefined ? {} : { code: told.code }))
  }
}

/** Holds the socket. It runs in the separate thread only. */
function hold(port: MessagePort): void {
  let socket: Socket | undefined
  const tell = (told: Told) => port.postMessage(told)
  port.on('message', (asked: Asked) => {
    if (asked === 'end') socket?.end()
    else if ('write' in asked) {
      const { buffer } = asked.write
      // Given back at once: the collector of this thread, which has nothing else to do, would leave a hundred of them.
      socket?.write(asked.write, () => void buffer.transfer(0))
    } else {
      socket = connect(asked.connect)
      socket.on('connect', () => tell('connect'))
      socket.on('data', (bytes: Buffer) => tell({ bytes }))
      socket.on('end', () => tell('end'))
      socket.on('error', ({ code, message }: NodeJS.ErrnoException) => tell({ code, message }))
    }
  })
}

if (!isMainThread && workerData === toBeHeld) hold(parentPort as MessagePort)
