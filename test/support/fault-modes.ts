import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'

/** One request with its body, as a mode receives it. */
export type Visit = {
  request: IncomingMessage
  response: ServerResponse
  /** For modes that do not speak HTTP properly. */
  socket: Socket
  query: URLSearchParams
  /** Number of earlier requests on this connection. */
  earlier: number
  /** Returns numbers in [0, 1); the same seed always gives the same series. */
  random: () => number
  /** Resolves after this many milliseconds: to true, or to false if the connection has closed by then. */
  pause: (ms: number) => Promise<boolean>
  origin: string
}

type Mode = { about: string; answer: (visit: Visit) => void | Promise<void> }

const head = (status: string, ...headers: string[]) => ['HTTP/1.1 ' + status, ...headers, '', ''].join('\r\n')

/** 32 MiB of one letter, compressed on first use. */
const bombs = new Map<string, Buffer>()
const pack = {
  gzip: (bytes: Buffer) => gzipSync(bytes),
  deflate: (bytes: Buffer) => deflateSync(bytes),
  // The default quality of 11 takes seconds.
  br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
}

function bomb(coding: keyof typeof pack): Buffer {
  const packed = bombs.get(coding) ?? pack[coding](Buffer.alloc(32 * 1024 * 1024, 'A'))
  bombs.set(coding, packed)
  return packed
}

/** Writes endlessly, as fast as it is read or one piece per `everyMs`, until the other side disconnects. */
async function pour({ socket, pause }: Visit, piece: string | Buffer, everyMs: number): Promise<void> {
  while (!socket.destroyed) {
    const flowing = socket.write(piece)
    if (everyMs > 0) await pause(everyMs)
    else if (!flowing) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {})
  }
}

function packed(coding: string, body: Buffer | string): Mode['answer'] {
  return ({ response }) => void response.writeHead(200, { 'content-encoding': coding }).end(body)
}

/** The faults of the receiver, by path. A query may set the values in brackets. */
export const faultModes = {
  ok: { about: '200 at once', answer: ({ response }) => void response.end('thanks') },
  created: { about: '201 with a body', answer: ({ response }) => void response.writeHead(201).end('made') },
  'no-content': { about: '204', answer: ({ response }) => void response.writeHead(204).end() },
  late: {
    about: '200 after a time [ms=1000]',
    async answer({ response, query, pause }) {
      if (await pause(Number(query.get('ms') ?? 1000))) response.end('late')
    },
  },
  hang: { about: 'never answers', answer: () => {} },
  'slow-headers': {
    about: 'one header line per 20 ms, for ever',
    async answer(visit) {
      visit.socket.write('HTTP/1.1 200 OK\r\n')
      await pour(visit, 'x-slow: 1\r\n', 20)
    },
  },
  drip: {
    about: '200, then a byte of body per 20 ms, for ever [status=200]',
    async answer(visit) {
      visit.socket.write(head(`${visit.query.get('status') ?? 200} Drip`, 'content-length: 1000000'))
      await pour(visit, '.', 20)
    },
  },
  endless: {
    about: '200 and a body without end',
    async answer(visit) {
      visit.socket.write(head('200 OK', 'connection: close'))
      await pour(visit, Buffer.alloc(16 * 1024, 'x'), 0)
    },
  },
  large: { about: '200 with 1 MiB of text', answer: ({ response }) => void response.end('é'.repeat(512 * 1024)) },
  binary: {
    about: '200 with bytes that are not text',
    answer: ({ response }) => void response.end(Buffer.from([0x61, 0, 0xff, 0xfe, 0xc3, 0x28, 0x62])),
  },
  gzip: { about: '200 with a small gzip body', answer: packed('gzip', gzipSync('unpacked')) },
  deflate: { about: '200 with a small deflate body', answer: packed('deflate', deflateSync('unpacked')) },
  brotli: { about: '200 with a small brotli body', answer: packed('br', brotliCompressSync('unpacked')) },
  'gzip-bomb': { about: '32 MiB of text in gzip', answer: (visit) => packed('gzip', bomb('gzip'))(visit) },
  'deflate-bomb': { about: '32 MiB of text in deflate', answer: (visit) => packed('deflate', bomb('deflate'))(visit) },
  'brotli-bomb': {
    about: '32 MiB of text in brotli, some hundred bytes',
    answer: (visit) => packed('br', bomb('br'))(visit),
  },
  'gzip-lie': { about: 'says gzip and is not', answer: packed('gzip', 'plain text') },
  'coding-unknown': { about: 'a content coding that no one knows', answer: packed('rot13', 'cynva grkg') },
  'redirect-loop': {
    about: '302 to itself',
    answer: ({ response, origin }) => void response.writeHead(302, { location: `${origin}/redirect-loop` }).end(),
  },
  'redirect-metadata': {
    about: '307 to a cloud metadata address',
    answer: ({ response }) =>
      void response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
  },
  'reset-before': { about: 'TCP reset instead of an answer', answer: ({ socket }) => void socket.resetAndDestroy() },
  'reset-headers': {
    about: 'TCP reset inside the headers',
    async answer({ socket, pause }) {
      socket.write('HTTP/1.1 200 OK\r\nx-half: ')
      if (await pause(20)) socket.resetAndDestroy()
    },
  },
  'reset-body': {
    about: 'TCP reset inside the body [status=200]',
    async answer({ socket, query, pause }) {
      socket.write(head(`${query.get('status') ?? 200} Reset`, 'content-length: 1000') + 'the first bytes')
      if (await pause(20)) socket.resetAndDestroy()
    },
  },
  close: { about: 'closes without an answer', answer: ({ socket }) => void socket.end() },
  'close-body': {
    about: 'closes inside the body [connection=keep-alive]',
    answer({ socket, query }) {
      const connection = `connection: ${query.get('connection') ?? 'keep-alive'}`
      socket.end(head('200 OK', 'content-length: 1000', connection) + 'the first bytes')
    },
  },
  'close-chunked': {
    about: 'closes inside a chunked body [connection=keep-alive]',
    answer({ socket, query }) {
      const connection = `connection: ${query.get('connection') ?? 'keep-alive'}`
      socket.end(head('200 OK', 'transfer-encoding: chunked', connection) + '5\r\nfirst\r\n')
    },
  },
  stale: {
    about: '200 for the first request of a connection, a reset for the second',
    answer: ({ response, socket, earlier }) => void (earlier > 0 ? socket.resetAndDestroy() : response.end('fresh')),
  },
  'early-hints': {
    about: 'three 103, then 200',
    answer({ response }) {
      for (let hints = 0; hints < 3; hints++) response.writeEarlyHints({ link: '</a.css>; rel=preload' })
      response.end('hinted')
    },
  },
  'early-hints-flood': {
    about: '103 for ever',
    answer: (visit) => pour(visit, head('103 Early Hints', 'link: </a.css>; rel=preload').repeat(10), 0),
  },
  continue: {
    about: '100 Continue without a request for it, and no answer',
    answer: ({ socket }) => void socket.write(head('100 Continue')),
  },
  upgrade: {
    about: '101 without a request for it',
    answer: ({ socket }) => void socket.write(head('101 Switching Protocols', 'connection: upgrade', 'upgrade: foo')),
  },
  'giant-header': {
    about: 'one header line of 1 MiB',
    answer: ({ socket }) =>
      void socket.write(head('200 OK', `x-giant: ${'x'.repeat(1024 * 1024)}`, 'content-length: 0')),
  },
  'endless-headers': {
    about: 'header lines without end, as fast as they are read',
    async answer(visit) {
      visit.socket.write('HTTP/1.1 200 OK\r\n')
      await pour(visit, 'x-more: 0123456789abcdef\r\n'.repeat(100), 0)
    },
  },
  garbage: {
    about: 'bytes that are not HTTP',
    answer: ({ socket }) => void socket.end('SSH-2.0-OpenSSH_9.2p1\r\n\0\0\0'),
  },
  'garbage-chunk': {
    about: 'a chunked body that is none',
    answer: ({ socket }) => void socket.write(head('200 OK', 'transfer-encoding: chunked') + 'not hexadecimal\r\n'),
  },
  'two-lengths': {
    about: 'two different content-length',
    answer: ({ socket }) => void socket.write(head('200 OK', 'content-length: 2', 'content-length: 3') + 'ab'),
  },
  secrets: {
    about: '200 with cookies and tokens in its headers',
    answer: ({ response }) =>
      void response
        .writeHead(200, { 'set-cookie': ['a=hush', 'b=hush'], 'x-api-key': 'hush', 'x-twice': ['1', '2'] })
        .end(),
  },
  gone: { about: '410', answer: ({ response }) => void response.writeHead(410).end() },
  status: {
    about: 'a status and, if given, a Retry-After [code=503, retry-after]',
    answer({ response, query }) {
      const retryAfter = query.get('retry-after')
      const headers = retryAfter === null ? {} : { 'retry-after': retryAfter }
      response.writeHead(Number(query.get('code') ?? 503), headers).end('not now')
    },
  },
  random: {
    about: '500 now and then, 200 otherwise [rate=0.5]',
    answer({ response, query, random }) {
      response.writeHead(random() < Number(query.get('rate') ?? 0.5) ? 500 : 200).end()
    },
  },
} as const satisfies Record<string, Mode>

export type FaultMode = keyof typeof faultModes
