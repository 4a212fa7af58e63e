/** One event of a `text/event-stream`. `id` is null if the event has none. */
export type ServerSentEvent = { id: string | null; event: string; data: string }

/**
 * Reads a stream of server-sent events (WHATWG HTML, 9.2): lines end in LF, CR or CRLF, a blank line ends an event,
 * comments begin with a colon. An incomplete event at the end of the stream is dropped, as the standard says.
 */
export async function* readServerSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  let rest = ''
  let fields = { id: null as string | null, event: 'message', data: [] as string[] }
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      // A CR at the end of a chunk may be the first half of a CRLF: so it is kept for the next chunk.
      const text = rest + value
      const lines = text.split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() as string
      for (const line of lines) {
        if (line !== '') {
          addField(fields, line)
          continue
        }
        const { id, event, data } = fields
        fields = { id: null, event: 'message', data: [] }
        if (data.length > 0) yield { id, event, data: data.join('\n') }
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function addField(fields: { id: string | null; event: string; data: string[] }, line: string): void {
  const colon = line.indexOf(':')
  if (colon === 0) return
  const name = colon === -1 ? line : line.slice(0, colon)
  const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
  if (name === 'data') fields.data.push(value)
  else if (name === 'event') fields.event = value
  else if (name === 'id' && !value.includes('\0')) fields.id = value
}
