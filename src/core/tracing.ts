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

/** The tracer provider that OpenTelemetry uses until another is registered. */
const noProvider = new ProxyTracerProvider().getDelegate()

/** Returns whether the operator registered a tracer (`node --import`); otherwise no span is made and no clock is read. */
function isTracing(): boolean {
  const provider = trace.getTracerProvider()
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== noProvider
}

const tracer = trace.getTracer('tillgate')

type SpanName = 'request' | 'ingest batch' | 'transaction' | 'page read' | 'claim' | 'attempt'

type Shape = { attributes?: () => Attributes; links?: () => Link[]; kind?: SpanKind }

/** Runs the work in a span of this name; without a span if no tracer is registered. */
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

/** Starts the span of a request below the caller's span; undefined if no tracer is registered. */
export function beginRequest(
  headers: object,
  attributes: () => Attributes,
): { span: Span; within: (go: () => void) => void } | undefined {
  if (!isTracing()) return undefined
  const parent = propagation.extract(context.active(), headers)
  const span = tracer.startSpan('tillgate request', { kind: SpanKind.SERVER, attributes: attributes() }, parent)
  return { span, within: (go) => context.with(trace.setSpan(parent, span), go) }
}

/** The spans that stored the latest journal entries of this process. The journal itself has no trace ids. */
const stored = new LRUCache<string, SpanContext>({ max: 10_000 })

const entry = (locationId: string, sequence: number) => `${locationId} ${sequence}`

/** Remembers the current span as the one that stored these entries. */
export function storedEntries(locationId: string, sequences: () => number[]): void {
  if (!isTracing()) return
  const span = trace.getActiveSpan()
  if (span) for (const sequence of sequences()) stored.set(entry(locationId, sequence), span.spanContext())
}

/** Returns a link to the span that stored an entry; none if this process does not know it. */
export function linksTo(locationId: string, sequence: number): Link[] {
  const found = stored.get(entry(locationId, sequence))
  return found ? [{ context: found }] : []
}

/** Returns headers that pass the current span on to a receiver that traces too; none if no tracer is registered. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {}
  if (isTracing()) propagation.inject(context.active(), headers)
  return headers
}
