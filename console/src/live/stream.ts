import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Event } from '@tillgate/client'
import { Problem } from '../api/problem.ts'
import { open } from '../api/request.ts'

/** Reads the journal's stream until `signal` ends it; throws `Problem` if it is refused or interrupted. */
export async function readStream(
  location: string | null,
  after: number | null,
  signal: AbortSignal,
  on: { open: () => void; event: (event: Event) => void },
): Promise<void> {
  // Events have only their type and id; screens request the changed data.
  const query = after === null ? { data: 'id' } : { data: 'id', after }
  const response = await open({ path: '/v1/events/', query }, { location, signal, accept: 'text/event-stream' })
  on.open()
  if (response.body === null) return
  const reader = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) throw new Problem({ code: 'network_error', detail: 'the stream ended' }, 0, null)
    if (value.data !== '') on.event(JSON.parse(value.data) as Event)
  }
}
