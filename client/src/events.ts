import type { EventData, EventPage } from './api.ts'
import { TillgateError } from './errors.ts'
import { readServerSentEvents } from './server-sent-events.ts'
import { isTransient, pause, type Transport, waitBeforeRetry } from './transport.ts'

/** Names an event. */
export type EventType = keyof EventData

/** An event. Its `type` determines the type of `data`: `if (event.type === 'order.paid') event.data.total`. */
export type TillgateEvent = {
  [Type in EventType]: {
    /** Identifies the event: it is the same in retries, replays and the feed. */
    id: string
    type: Type
    /** Time at which Tillgate accepted the change. */
    timestamp: string
    locationId: string
    /** Number of the change in the journal; one change can mean several events, which share it. */
    sequence: number
    data: EventData[Type]
  }
}[EventType]

/**
 * The position of a reader of the feed. Store both fields: with the epoch, the server detects that the reader has read
 * entries that were lost in a restore.
 */
export type FeedPosition = { after: number; epoch?: string | undefined }

export type EventsOptions = {
  /** Start after this sequence: 0 for everything; without it, only new events. */
  after?: number
  /** The epoch of `after`. If that epoch ended before `after`, reading ends with `epoch_changed`. */
  epoch?: string
  /** Yield only events of these types. */
  types?: readonly EventType[]
  /** `stream` uses server-sent events, `poll` long polling; `auto` streams, and polls if streams do not get through. */
  transport?: 'auto' | 'stream' | 'poll'
  signal?: AbortSignal
  /** Called after each event is processed, and after entries without events: store this position for the next start. */
  onPosition?: (position: FeedPosition) => void
  /** Called when a connection is accepted. */
  onOpen?: () => void
  /** Called at each broken or failed connection, before the retry. */
  onBreak?: (error: TillgateError) => void
}

/** An event, and its text as accepted, with the original notation of numbers; null if the event came by polling. */
export type EventText = { event: TillgateEvent; text: string | null }

/** Milliseconds without data after which a stream counts as dead: the server sends a comment every 15 s. */
const silentMs = 45_000

/** After this many successive failures of streams, `auto` polls. */
const streamsTried = 2

const waitSeconds = 25

type Reading = { transport: Transport; options: EventsOptions; after: number | undefined; epoch: string | undefined }

/**
 * Yields the journal of the location as events, in order, endlessly: past ones first, then new ones. Resumes by itself
 * after the last processed event, so an interruption repeats at most the events of one change. Throws `TillgateError`:
 * `sequence_ahead` or `epoch_changed` if the position is not in this journal, `feed_gap` if the feed goes backwards,
 * and errors that a retry cannot resolve, such as 401 and 403. Throws the reason of `signal` if it aborts. Every other
 * failure is retried.
 */
export async function* readEvents(transport: Transport, options: EventsOptions = {}): AsyncGenerator<EventText> {
  const reading: Reading = { transport, options, after: options.after, epoch: options.epoch }
  let failures = 0
  for (;;) {
    const mode = options.transport ?? 'auto'
    const polls = mode === 'poll' || (mode === 'auto' && failures >= streamsTried)
    try {
      for await (const found of polls ? poll(reading) : stream(reading)) {
        failures = 0
        yield found
      }
    } catch (error) {
      options.signal?.throwIfAborted()
      if (!(error instanceof TillgateError) || isFinal(error)) throw error
      failures += 1
      options.onBreak?.(error)
      await pause(waitBeforeRetry(error, failures), options.signal)
    }
  }
}

const isFinal = ({ code, status }: TillgateError) => code === 'feed_gap' || !isTransient(status)

/** Refuses a sequence below an earlier one: a copy would mistake an old state for a new one. */
function advance(reading: Reading, sequence: number): void {
  const { after } = reading
  if (after !== undefined && sequence < after) {
    throw new TillgateError('feed_gap', `the feed went back from sequence ${after} to ${sequence}`)
  }
}

async function* stream(reading: Reading): AsyncGenerator<EventText> {
  const { transport, options } = reading
  const dead = new AbortController()
  const signal = AbortSignal.any([dead.signal, ...(options.signal ? [options.signal] : [])])
  let timer: ReturnType<typeof setTimeout> | undefined
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(
      () => dead.abort(new TillgateError('network_error', 'the stream sent nothing for too long')),
      silentMs,
    )
  }
  try {
    alive()
    const response = await transport.send({
      path: '/v1/events/',
      query: {
        types: options.types,
        after: reading.after,
        epoch: reading.after === undefined ? undefined : reading.epoch,
      },
      headers: { accept: 'text/event-stream' },
      deadlineMs: Infinity,
      onRetry: options.onBreak,
      signal,
    })
    if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
      throw new TillgateError(
        'unexpected_answer',
        'the response is not an event stream: check the URL, and the proxies in between',
        { status: 0 },
      )
    }
    options.onOpen?.()
    for await (const { id, data } of readServerSentEvents(watched(response.body, alive))) {
      const event = JSON.parse(data) as TillgateEvent
      advance(reading, event.sequence)
      yield { event, text: data }
      // Only the last event of a change has `id`: an interruption before that event repeats the whole change.
      const [epoch, sequence] = id?.split('_') ?? []
      if (epoch !== undefined && sequence !== undefined) moveTo(reading, Number(sequence), epoch)
    }
    throw new TillgateError('network_error', 'the stream ended')
  } catch (error) {
    throw error instanceof TillgateError || options.signal?.aborted ? error : toNetworkError(error, dead.signal)
  } finally {
    clearTimeout(timer)
    dead.abort()
  }
}

function toNetworkError(error: unknown, dead: AbortSignal): TillgateError {
  if (dead.reason instanceof TillgateError) return dead.reason
  return new TillgateError('network_error', `the stream was interrupted: ${(error as Error).message}`, {
    cause: error,
  })
}

function watched(body: ReadableStream<Uint8Array>, alive: () => void): ReadableStream<Uint8Array> {
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      alive()
      controller.enqueue(chunk)
    },
  })
  return body.pipeThrough(watch)
}

async function* poll(reading: Reading): AsyncGenerator<EventText> {
  const { transport, options } = reading
  const { signal, types } = options
  if (reading.after === undefined) {
    // The head is the position after which new events begin.
    const { meta } = await ask(transport, { after: 0, limit: 1, wait: 0 }, signal)
    moveTo(reading, meta.head, meta.epoch)
  }
  for (;;) {
    const { after, epoch } = reading
    const page = await ask(transport, { after, epoch, types, limit: 500, wait: waitSeconds }, signal)
    options.onOpen?.()
    const events = page.data as TillgateEvent[]
    for (const [i, event] of events.entries()) {
      advance(reading, event.sequence)
      yield { event, text: null }
      const isLastOfChange = events[i + 1]?.sequence !== event.sequence
      if (isLastOfChange && i < events.length - 1) moveTo(reading, event.sequence, page.meta.epoch)
    }
    if (page.meta.next !== after || epoch === undefined) moveTo(reading, page.meta.next, page.meta.epoch)
  }

  function ask(
    to: Transport,
    query: Record<string, number | string | readonly string[] | undefined>,
    by?: AbortSignal,
  ) {
    return to.json<EventPage>({ path: '/v1/events/', query, signal: by, deadlineMs: (waitSeconds + 30) * 1000 })
  }
}

function moveTo(reading: Reading, after: number, epoch: string): void {
  reading.after = after
  reading.epoch = epoch
  reading.options.onPosition?.({ after, epoch })
}
