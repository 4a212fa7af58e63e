import type { ProblemCode } from '../errors.ts'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { generateSecret, parseSecret } from '../delivery/secrets.ts'
import { createSender, type Sender } from '../delivery/sender/send.ts'
import { toAddressRange } from '../domain/addresses.ts'
import { signatureHeaders } from '../delivery/sign.ts'
import { CliError, Interrupted } from '../server/errors.ts'
import { catchInterrupts } from './terminal/interrupts.ts'
import { finish, readWhole } from './terminal/options.ts'
import { excerpt, note, oneLine, print, printJson } from './terminal/output.ts'

type Flags = {
  url: string
  key?: string
  forward?: string
  types?: string
  after?: string
  secret?: string
  json?: true
}

/** One event of the stream; `text` is the body as it was accepted. */
type Received = { id: string; type: string; sequence: number; timestamp: string; text: string; summary: string }

const reconnectMs = 1_000

function readHttpUrl(name: string, text: string): string {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol)) return text.replace(/\/$/, '')
  throw new CliError('usage', `${name} must be a URL that begins with http:// or https://, not ${JSON.stringify(text)}`)
}

function toReceived(text: string): Received {
  const { id, type, sequence, timestamp, data } = JSON.parse(text) as Omit<Received, 'text' | 'summary'> & {
    data: Record<string, unknown>
  }
  const named = ['orderNumber', 'reportNumber', 'name'].map((field) => data[field]).find((value) => value !== undefined)
  const total = data['total'] ?? data['totalSales']
  const words = [named, total].filter((value) => value !== undefined).map(String)
  return { id, type, sequence, timestamp, text, summary: words.join('  ') }
}

/** The stream's answer was no stream: what the problem document says. */
async function refusal(response: Response): Promise<CliError> {
  const text = await response.text()
  const problem = JSON.parse(text.startsWith('{') ? text : '{}') as { code?: ProblemCode; detail?: string }
  return new CliError(
    problem.code ?? 'refused',
    `the server answered ${response.status}: ${problem.detail ?? excerpt(text, 200)}`,
  )
}

/** Where the stream goes on after a break; `wasOpen` once the server has taken the key. */
type Place = { lastEventId: string | undefined; wasOpen: boolean }

async function* readStream(url: string, key: string, place: Place, signal: AbortSignal): AsyncGenerator<Received> {
  const headers = { 'x-api-key': key, accept: 'text/event-stream' }
  const resume = place.lastEventId === undefined ? {} : { 'last-event-id': place.lastEventId }
  const response = await fetch(url, { headers: { ...headers, ...resume }, signal })
  if (!response.ok || !response.body) throw await refusal(response)
  if (!place.wasOpen) note('Listening; Ctrl-C ends.')
  place.wasOpen = true
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  for await (const event of events) {
    yield toReceived(event.data)
    // Only after the event was dealt with: a break in between brings it again.
    place.lastEventId = event.id ?? place.lastEventId
  }
}

type Forward = { sender: Sender; url: string; secret: string }

async function forwardEvent({ sender, url, secret }: Forward, event: Received): Promise<string> {
  const key = parseSecret(secret)
  const body = Buffer.from(event.text)
  const keys = key ? [key] : []
  const headers = signatureHeaders({ id: event.id, timestampS: Math.floor(Date.now() / 1000), body, keys })
  const { ok, status, message } = await sender.send({ url, headers: { ...headers }, body })
  return ok ? `→ ${status}` : `→ ${message}`
}

async function follow(flags: Flags, key: string, forward: Forward | null, signal: AbortSignal): Promise<void> {
  const url = new URL(`${readHttpUrl('--url', flags.url)}/v1/events/`)
  if (flags.types !== undefined) url.searchParams.set('types', flags.types)
  if (flags.after !== undefined) {
    url.searchParams.set('after', String(readWhole('--after', flags.after, 0, Number.MAX_SAFE_INTEGER)))
  }
  const place: Place = { lastEventId: undefined, wasOpen: false }
  for (let broken = false; ;) {
    try {
      for await (const event of readStream(url.href, key, place, signal)) {
        broken = false
        const result = forward ? await forwardEvent(forward, event) : ''
        const { timestamp, sequence, type, summary } = event
        if (flags.json) printJson({ ...(JSON.parse(event.text) as object), ...(result ? { forwarded: result } : {}) })
        else
          print(oneLine([timestamp, String(sequence), type, summary, result].filter((part) => part !== '').join('  ')))
      }
    } catch (error) {
      if (signal.aborted || error instanceof CliError) throw error
      if (!broken) note(`The stream broke off: ${reasonOf(error)}. Connecting again.`)
      broken = true
    }
    await delay(reconnectMs, undefined, { signal })
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}

async function listen(flags: Flags): Promise<void> {
  const key = flags.key ?? process.env['TILLGATE_KEY'] ?? ''
  if (key === '') throw new CliError('usage', 'give a key with the scope read: --key or TILLGATE_KEY')
  const secret = flags.secret ?? generateSecret()
  if (!parseSecret(secret)) throw new CliError('usage', '--secret must be whsec_ and the base64 of 24 to 64 bytes')
  const interrupts = catchInterrupts()
  // The target is the user's own choice, so no address is refused.
  const sender = createSender({ allowHttp: true, allowAddresses: ['0.0.0.0/0', '::/0'].map(toAddressRange) })
  const forward = flags.forward === undefined ? null : { sender, url: readHttpUrl('--forward', flags.forward), secret }
  try {
    if (forward) note(`Forwarding to ${forward.url}, signed with ${secret}`)
    await interrupts.race(follow(flags, key, forward, interrupts.signal))
  } catch (error) {
    // Ctrl-C is how this command ends.
    if (!(error instanceof Interrupted) || error.signal !== 'SIGINT') throw error
  } finally {
    interrupts.release()
    await sender.close()
  }
}

export function define(command: Command): void {
  command
    .description(
      'Print events as they happen, and forward them signed to a URL of this machine: no public address needed.',
    )
    .option('--url <url>', 'base URL of the server', 'http://127.0.0.1:4747')
    .option(
      '--key <key>',
      'API key with the scope read; others on the machine see it in the list of processes, TILLGATE_KEY they do not',
    )
    .option('--forward <url>', 'post each event to this URL, signed like a webhook')
    .option('--secret <whsec>', 'secret to sign with (default: a new one, printed)')
    .option('--types <list>', 'only these events, separated by commas')
    .option('--after <sequence>', 'begin after this journal number (default: with what comes next)')
    .action(listen)
  finish(command, [
    'listen --key tg_live_…',
    'listen --key tg_live_… --forward http://localhost:3000/hook --types order.paid',
    'listen --key tg_live_… --after 0 --json',
  ])
}
