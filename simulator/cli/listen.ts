import {
  Tillgate,
  type EventsOptions,
  type EventType,
  type FeedPosition,
  type TillgateError,
  type TillgateEvent,
} from '#client'
import type { Command } from 'commander'
import { generateSecret, parseSecret } from '../../src/core/delivery/secrets.ts'
import { createSender, type Sender } from '../../src/core/delivery/sender/send.ts'
import { signatureHeaders } from '../../src/core/delivery/sign.ts'
import { toAddressRange } from '../../src/core/domain/addresses/addresses.ts'
import { CliError, Interrupted } from '../../src/core/server/errors.ts'
import { codeOf } from './client-errors.ts'
import { Position, runForEvent } from './listen-run.ts'
import { catchInterrupts } from '../../src/core/cli/terminal/interrupts.ts'
import { finish, readInteger } from '../../src/core/cli/terminal/options.ts'
import { outputGone } from '../../src/core/cli/terminal/standard-streams.ts'
import { note, oneLine, print, printJson } from '../../src/core/cli/terminal/output.ts'

type ListenFlags = {
  url: string
  key?: string
  forward?: string
  types?: string
  after?: string
  secret?: string
  run?: string
  position?: string
  json?: true
}

function readHttpUrl(name: string, text: string): string {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol)) return text
  throw new CliError('usage', `${name} must be a URL that begins with http:// or https://, not ${JSON.stringify(text)}`)
}

/** Returns the identification of the resource, and its amount. */
function summaryOf({ data }: TillgateEvent): string {
  const fields = data as Record<string, unknown>
  const named = ['orderNumber', 'reportNumber', 'name'].map((field) => fields[field]).find((one) => one !== undefined)
  return [named, fields['total'] ?? fields['totalSales']]
    .filter((one) => one !== undefined)
    .map(String)
    .join('  ')
}

type Forward = { sender: Sender; url: string; secret: string }

async function forwardEvent({ sender, url, secret }: Forward, id: string, text: string): Promise<string> {
  const key = parseSecret(secret)
  const body = Buffer.from(text)
  const keys = key ? [key] : []
  const headers = signatureHeaders({ id, timestampS: Math.floor(Date.now() / 1000), body, keys })
  const { ok, status, message } = await sender.send({ url, headers: { ...headers }, body })
  return ok ? `→ ${status}` : `→ ${message}`
}

/** Prints once that it listens, and once per interruption that the server is unreachable. */
function createNotes(url: string): Pick<EventsOptions, 'onOpen' | 'onBreak'> {
  let [wasOpen, isBroken] = [false, false]
  return {
    onOpen: () => {
      if (!wasOpen) note('Listening. Press Ctrl-C to stop.')
      wasOpen = true
      isBroken = false
    },
    onBreak: ({ message }) => {
      const what = wasOpen ? `The stream was interrupted: ${message}.` : `${url} cannot be reached: ${message}.`
      if (!isBroken) note(oneLine(`${what} Reconnecting.`))
      isBroken = true
    },
  }
}

async function follow(flags: ListenFlags, key: string, forward: Forward | null, signal: AbortSignal): Promise<void> {
  const position = flags.position === undefined ? undefined : new Position(flags.position)
  const kept = await position?.read()
  const given = flags.after === undefined ? undefined : readInteger('--after', flags.after, 0, Number.MAX_SAFE_INTEGER)
  const first = kept ?? (given === undefined ? {} : { after: given })
  // The server reports unknown types.
  const types = flags.types === undefined ? {} : { types: flags.types.split(',') as EventType[] }
  const url = readHttpUrl('--url', flags.url).replace(/\/$/, '')
  const tillgate = new Tillgate({ url, key })
  const keep = position && { onPosition: (at: FeedPosition) => position.keep(at) }
  const options: EventsOptions = { ...first, ...types, ...keep, transport: 'stream', signal, ...createNotes(url) }
  try {
    for await (const { event, text } of tillgate.eventTexts(options)) {
      const { timestamp, sequence, type, id } = event
      const forwarded = forward ? await forwardEvent(forward, id, text ?? '') : ''
      const ran = flags.run === undefined ? undefined : await runForEvent(flags.run, text ?? '')
      if (position && ran?.isGood === false) {
        throw new CliError(
          'run_failed',
          `--run ${flags.run} ended with ${ran.words.slice(2)} for ${id}: start again to run it again for this event`,
        )
      }
      const result = [forwarded, ran?.words ?? ''].filter((part) => part !== '').join(' ')
      if (flags.json) printJson({ ...event, ...(result ? { forwarded: result } : {}) })
      else {
        const parts = [timestamp, String(sequence), type, summaryOf(event), result]
        print(oneLine(parts.filter((part) => part !== '').join('  ')))
      }
    }
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined) throw error
    const { status, message, problem } = error as TillgateError
    const advice = position?.adviceFor(problem) ?? ''
    throw new CliError(code, `the server answered ${status}: ${message}${advice}`)
  }
}

async function listen(flags: ListenFlags): Promise<void> {
  const key = flags.key ?? process.env['TILLGATE_KEY'] ?? ''
  if (key === '') throw new CliError('usage', 'pass a key with scope read in --key or TILLGATE_KEY')
  const secret = flags.secret ?? generateSecret()
  if (!parseSecret(secret)) throw new CliError('usage', '--secret must be whsec_ followed by 24 to 64 bytes in base64')
  const interrupts = catchInterrupts()
  // The target is the user's own choice, so no address is refused.
  const sender = createSender({ allowHttp: true, allowAddresses: ['0.0.0.0/0', '::/0'].map(toAddressRange) })
  const forward = flags.forward === undefined ? null : { sender, url: readHttpUrl('--forward', flags.forward), secret }
  try {
    if (forward) note(`Forwarding to ${forward.url}, signed with ${secret}`)
    const ended = AbortSignal.any([interrupts.signal, outputGone])
    await interrupts.race(follow(flags, key, forward, ended))
  } catch (error) {
    // Ctrl-C, or a closed output, is how this command normally ends.
    if (!outputGone.aborted && !(error instanceof Interrupted && error.signal === 'SIGINT')) throw error
  } finally {
    interrupts.release()
    await sender.close()
  }
}

/** Defines the command; `program` is its name in examples: `listen` of `tillgate`, or a separate file. */
export function define(command: Command, program = 'tillgate listen'): void {
  command
    .description(
      'Print events as they happen, and forward them, signed, to a URL on this machine. No public address is ' +
        'needed.',
    )
    .option('--url <url>', 'base URL of the server', 'http://127.0.0.1:4747')
    .option(
      '--key <key>',
      'API key with scope read; command lines are visible to other users, so prefer the variable TILLGATE_KEY',
    )
    .option('--forward <url>', 'post each event to this URL, signed like a webhook delivery')
    .option('--secret <whsec>', 'secret to sign with (default: a new one, printed)')
    .option('--run <program>', 'run this program for each event, with the event on standard input')
    .option('--position <file>', 'file that stores the position, to continue from it')
    .option('--types <list>', 'only these events, separated by commas')
    .option('--after <sequence>', 'start after this journal sequence (default: new events only)')
    .action(listen)
  finish(
    command,
    [
      '--key tg_live_…',
      '--key tg_live_… --forward http://localhost:3000/hook --types order.paid',
      '--key tg_live_… --after 0 --json',
      '--key tg_live_… --types day.completed --run ./mail-the-day --position ./mailed',
    ],
    program,
  )
}
