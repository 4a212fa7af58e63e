import { verifyWebhook, WebhookRefused, type VerifiedWebhook, type VerifyOptions } from './verify-webhook.ts'

export type WebhookHandlerOptions = VerifyOptions & {
  /** Secret of the webhook, or both during a rotation; a function is called for each request. */
  secrets: string | readonly string[] | (() => string | readonly string[] | Promise<string | readonly string[]>)
  /** Largest body in bytes; 4 MiB by default. */
  maxBytes?: number
  /** Processes a delivery. If it throws, the answer is 500 and the delivery is repeated later. */
  onEvent: (delivery: VerifiedWebhook) => void | Promise<void>
}

type Answer = { status: number; text: string }

async function receive(
  body: Uint8Array,
  headers: Parameters<typeof verifyWebhook>[1],
  { secrets, onEvent, ...options }: WebhookHandlerOptions,
): Promise<Answer> {
  try {
    const known = typeof secrets === 'function' ? await secrets() : secrets
    const delivery = await verifyWebhook(body, headers, known, options)
    if (!delivery.isRepeated) {
      await onEvent(delivery)
      await options.seen?.add(delivery.event.id)
    }
    return { status: 204, text: '' }
  } catch (error) {
    if (error instanceof WebhookRefused) return { status: 400, text: error.message }
    return { status: 500, text: 'the delivery could not be processed' }
  }
}

/** Makes a handler for Deno, Bun, service workers and frameworks with `Request` and `Response`. */
export function toFetchHandler(options: WebhookHandlerOptions): (request: Request) => Promise<Response> {
  const { maxBytes = 4_194_304 } = options
  return async (request) => {
    if (request.method !== 'POST') return new Response('POST only', { status: 405, headers: { allow: 'POST' } })
    const chunks: Uint8Array[] = []
    if (request.body) {
      for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
        chunks.push(chunk)
        if (sizeOf(chunks) > maxBytes) return new Response('the body is too large', { status: 413 })
      }
    }
    const { status, text } = await receive(joined(chunks), request.headers, options)
    return new Response(status === 204 ? null : text, { status })
  }
}

/**
 * What the handler needs of Node's request and response; `node:http`, Express and the raw objects of Fastify have it.
 */
type NodeRequest = AsyncIterable<Uint8Array> & {
  method?: string | undefined
  headers: Record<string, string | string[] | undefined>
}
type NodeResponse = {
  writeHead(status: number, headers?: Record<string, string>): unknown
  end(text?: string): unknown
}

/** Makes a handler for `node:http`. The handler reads the raw body, so nothing may parse the body before. */
export function toNodeHandler(
  options: WebhookHandlerOptions,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  const { maxBytes = 4_194_304 } = options
  return async (request, response) => {
    const answer = ({ status, text }: Answer, headers: Record<string, string> = {}) => {
      response.writeHead(status, headers)
      response.end(text)
    }
    if (request.method !== 'POST') return answer({ status: 405, text: 'POST only' }, { allow: 'POST' })
    const chunks: Uint8Array[] = []
    try {
      for await (const chunk of request) {
        chunks.push(chunk)
        if (sizeOf(chunks) > maxBytes)
          return answer({ status: 413, text: 'the body is too large' }, { connection: 'close' })
      }
    } catch {
      // The sender disconnected during the body, so a response would not arrive.
      return
    }
    return answer(await receive(joined(chunks), request.headers, options))
  }
}

const sizeOf = (chunks: readonly Uint8Array[]) => chunks.reduce((sum, { length }) => sum + length, 0)

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(sizeOf(chunks))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
