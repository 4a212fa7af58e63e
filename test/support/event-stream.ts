import { patienceMs } from './waiting.ts'
import { EventEmitter, once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'

export type StreamedEvent = { id: string | null; event: string; data: any }

/** A client for server-sent events; `id` is as in the stream, null for a frame without one. */
export type EventStream = {
  status: number
  headers: IncomingMessage['headers']
  events: readonly StreamedEvent[]
  /** Returns the last id, for resuming. */
  lastEventId(): string
  /**
   * Resolves when the condition is true, which is checked at every frame; rejects after `withinMs`, or if the stream
   * ends first.
   */
  until(condition: () => boolean, what: string, withinMs?: number): Promise<void>
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>
  /** Stops reading, as a slow client does. */
  pause(): void
  resume(): void
  close(): void
}

function readFrame(text: string): StreamedEvent | undefined {
  const fields = text.split('\n').flatMap((line): [string, string][] => {
    const at = line.indexOf(': ')
    return at > 0 ? [[line.slice(0, at), line.slice(at + 2)]] : []
  })
  const { id, event, data } = Object.fromEntries(fields) as Record<string, string | undefined>
  return data === undefined ? undefined : { id: id ?? null, event: event ?? 'message', data: JSON.parse(data) }
}

export async function openEventStream(url: string, headers: Record<string, string>): Promise<EventStream> {
  const changes = new EventEmitter().setMaxListeners(0)
  const outgoing = request(url, { headers: { accept: 'text/event-stream', ...headers }, agent: false })
  outgoing.on('error', () => {})
  outgoing.end()
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  const events: StreamedEvent[] = []
  let rest = ''
  let isOver = false
  incoming.setEncoding('utf8').on('data', (chunk: string) => {
    const frames = (rest + chunk).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) {
      const event = readFrame(frame)
      if (event) events.push(event)
    }
    changes.emit('change')
  })
  incoming.on('error', () => {})
  const ended = new Promise<void>((resolve) => {
    incoming.once('close', () => {
      isOver = true
      changes.emit('change')
      resolve()
    })
  })
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    events,
    lastEventId: () => events.findLast(({ id }) => id !== null)?.id ?? '',
    async until(condition, what, withinMs = patienceMs) {
      const limit = AbortSignal.timeout(withinMs)
      while (!condition()) {
        if (isOver) throw new Error(`the stream ended before: ${what}`)
        await once(changes, 'change', { signal: limit }).catch(() => {
          throw new Error(`not within ${withinMs} ms: ${what}`)
        })
      }
    },
    ended,
    pause: () => void incoming.pause(),
    resume: () => void incoming.resume(),
    close: () => void outgoing.destroy(),
  }
}
