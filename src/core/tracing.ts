import {
  context,
  propagation,
  ProxyTracerProvider,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Link,
  type Span,
  type SpanContext,
} from '@opentelemetry/api'
import { LRUCache } from 'lru-cache'

/** The provider as long as none was registered. */
const nobody = new ProxyTracerProvider().getDelegate()

/**
 * Returns whether the operator registered a tracer (`node --import`). Nothing is made, and nothing is asked of the
 * clock, while there is none.
 */
function isTracing(): boolean {
  const provider = trace.getTracerProvider()
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== nobody
}

const tracer = trace.getTracer('tillgate')

type SpanName = 'request' | 'ingest batch' | 'transaction' | 'page read' | 'claim' | 'attempt'

type Shape = { attributes?: () => Attributes; links?: () => Link[]; kind?: SpanKind }

/** Does the work in a span of its name, when somebody listens; else the work alone. */
export function traced<T>(name: SpanName, work: () => Promise<T>, shape: Shape = {}): Promise<T> {
  if (!isTracing()) return work()
  const { attributes = () => ({}), links = () => [], kind = SpanKind.INTERNAL } = shape
  const options = { attributes: attributes(), links: links(), kind }
  return tracer.startActiveSpan(`tillgate ${name}`, options, async (span) => {
    try {
      return await work()
    } catch (error) {
      span.recordException(error as Error)
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}

/** Starts the span of a request, below the caller's span; undefined when no tracer is registered. */
export function beginRequest(
  headers: object,
  attributes: () => Attributes,
): { span: Span; within: (go: () => void) => void } | undefined {
  if (!isTracing()) return undefined
  const parent = propagation.extract(context.active(), headers)
  const span = tracer.startSpan('tillgate request', { kind: SpanKind.SERVER, attributes: attributes() }, parent)
  return { span, within: (go) => context.with(trace.setSpan(parent, span), go) }
}

/**
 * Remembers which span stored an entry of a journal, for the latest of this process. Trace ids are no part of the
 * journal.
 */
const stored = new LRUCache<string, SpanContext>({ max: 10_000 })

const entry = (locationId: string, sequence: number) => `${locationId} ${sequence}`

/** Keeps the present span as the one that stored these entries. */
export function storedEntries(locationId: string, sequences: () => number[]): void {
  if (!isTracing()) return
  const span = trace.getActiveSpan()
  if (span) for (const sequence of sequences()) stored.set(entry(locationId, sequence), span.spanContext())
}

/** Makes a link to the span that stored an entry, where this process did it. */
export function linksTo(locationId: string, sequence: number): Link[] {
  const found = stored.get(entry(locationId, sequence))
  return found ? [{ context: found }] : []
}

/** Makes `traceparent` of the present span, when it is sampled: for a receiver that traces too. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {}
  if (isTracing()) propagation.inject(context.active(), headers)
  return headers
}
