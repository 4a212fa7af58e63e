// Writes client/conformance/*.json: messages of the server with their meaning, for authors of receivers in any
// language.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fastify, type FastifyReply, type FastifyRequest } from 'fastify'
import { parseSecret } from '../src/core/delivery/secrets.ts'
import { signatureHeaders } from '../src/core/delivery/sign.ts'
import { sampleEpoch, toMessage, toMessages, type Entry } from '../src/core/domain/journal/messages.ts'
import { sampleData } from '../src/core/domain/documents/samples.ts'
import { AppError, problems, validationFailed, type ProblemCode } from '../src/core/contract/errors/errors.ts'
import { PageBody } from '../src/core/http/answers/page-body.ts'
import { sendProblem } from '../src/core/http/answers/problems.ts'
import { BodyBudget } from '../src/core/ingest/receive/body-budget.ts'
import { eventTypes, type EventType } from '../src/core/schemas/events.ts'

type Case = { name: string; input: Record<string, string | number>; expect: unknown }

/** `expect` is the result of a correct reader for `input`; docs/receivers/README.md describes each kind. */
export type Vectors = { about: string; cases: Case[] }

const locationId = '7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11'
const epoch = '5f0c21ab'
const acceptedAt = '2026-03-14T12:34:56.789Z'
const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
const older = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+Zb8zCr0QjQ='

function entryOf(
  seq: number,
  types: EventType[],
  document: string = JSON.stringify(sampleData('order.paid', locationId)),
) {
  return {
    locationId,
    epoch,
    seq,
    acceptedAt,
    kind: 'order',
    id: locationId,
    types,
    document: Buffer.from(document),
  } satisfies Entry
}

/** Returns the delivered body of one event. */
const bodyOf = (entry: Entry, type: EventType) => toMessage(entry, type).body.toString()

function signatureCases(): Case[] {
  const id = 'evt_7f3c1f0e5d0b4c559a560d2a0a3c9b11_5f0c21ab_42_order-paid'
  const timestampS = 1795232008
  const plain = '{"type":"order.paid","data":{"total":12.50}}'
  const sign = (body: string, secrets: readonly string[]) =>
    signatureHeaders({
      id,
      timestampS,
      body: Buffer.from(body),
      keys: secrets.map((one) => parseSecret(one)).filter((key) => key !== null),
    })['webhook-signature']
  const good = {
    secrets: secret,
    id,
    timestamp: String(timestampS),
    signature: sign(plain, [secret]),
    body: plain,
    now: timestampS,
  }
  const both = sign(plain, [secret, older])
  const real = bodyOf(entryOf(42, ['order.paid']), 'order.paid')
  const wide = '{"data":{"operatorName":"Zoé 🍕 \\u00e9"}}'
  const cases: [name: string, changes: Record<string, string | number>, expect: string][] = [
    ['as it is sent', {}, 'ok'],
    ['a whole delivery', { body: real, signature: sign(real, [secret]) }, 'ok'],
    ['text beyond ASCII', { body: wide, signature: sign(wide, [secret]) }, 'ok'],
    ['an empty body', { body: '', signature: sign('', [secret]) }, 'ok'],
    ['two signatures, the receiver has the new secret', { signature: both }, 'ok'],
    ['two signatures, the receiver has the old secret', { signature: both, secrets: older }, 'ok'],
    ['the receiver has two secrets, the second fits', { secrets: `${older} ${secret}` }, 'ok'],
    ['a signature of another version beside it', { signature: `v1a,AAAA ${good.signature}` }, 'ok'],
    ['the clock of the receiver is 300 s ahead', { now: timestampS + 300 }, 'ok'],
    ['the clock of the receiver is 300 s behind', { now: timestampS - 300 }, 'ok'],
    ['sent 301 s ago', { now: timestampS + 301 }, 'timestamp_off'],
    ['from 301 s in the future', { now: timestampS - 301 }, 'timestamp_off'],
    ['a timestamp that is not a number', { timestamp: 'now' }, 'timestamp_off'],
    ['a timestamp with a fraction', { timestamp: `${timestampS}.0` }, 'timestamp_off'],
    ['a timestamp with a sign', { timestamp: `+${timestampS}` }, 'timestamp_off'],
    ['another timestamp than was signed', { timestamp: String(timestampS + 1) }, 'signature_wrong'],
    ['another id than was signed', { id: id.replace('_42_', '_43_') }, 'signature_wrong'],
    ['a body that was parsed and written again', { body: plain.replace('12.50', '12.5') }, 'signature_wrong'],
    ['a line break after the body', { body: `${plain}\n` }, 'signature_wrong'],
    ['another secret', { secrets: older }, 'signature_wrong'],
    ['the secret used as text, not decoded', { signature: textSignature() }, 'signature_wrong'],
    ['the beginning of the signature', { signature: good.signature.slice(0, 20) }, 'signature_wrong'],
    ['more after the signature', { signature: `${good.signature}A` }, 'signature_wrong'],
    ['the signature as version 2', { signature: good.signature.replace('v1,', 'v2,') }, 'signature_wrong'],
    ['only the version', { signature: 'v1,' }, 'signature_wrong'],
    ['no id', { id: '' }, 'header_missing'],
    ['no timestamp', { timestamp: '' }, 'header_missing'],
    ['no signature', { signature: '' }, 'header_missing'],
  ]
  return cases.map(([name, changes, expect]) => ({ name, input: { ...good, ...changes }, expect }))

  /** Returns a signature with the secret used as text instead of decoded: the most common mistake. */
  function textSignature(): string {
    const key = parseSecret(`whsec_${Buffer.from(secret).toString('base64')}`)
    return signatureHeaders({ id, timestampS, body: Buffer.from(plain), keys: key ? [key] : [] })['webhook-signature']
  }
}

function eventCases(): Case[] {
  const known = eventTypes.map((type, i): Case => {
    const body = bodyOf(entryOf(i + 1, [type], JSON.stringify(sampleData(type, locationId))), type)
    return { name: type, input: { body }, expect: frameOf(body, false) }
  })
  const highest = bodyOf(entryOf(Number.MAX_SAFE_INTEGER, ['order.paid']), 'order.paid')
  const test = bodyOf({ ...entryOf(0, ['order.paid']), epoch: sampleEpoch }, 'order.paid')
  const first = known[0]?.input['body'] as string
  return [
    ...known,
    { name: 'the highest number', input: { body: highest }, expect: frameOf(highest, false) },
    { name: 'the test operation', input: { body: test }, expect: frameOf(test, true) },
    ...[
      ['a type of tomorrow', first.replace(/"type":"[^"]+"/, '"type":"day.completed"')],
      ['a field of tomorrow', first.replace('{"id"', '{"version":2,"id"')],
    ].map(([name = '', body = '']) => ({ name, input: { body }, expect: frameOf(body, false) })),
    ...[
      ['no JSON', 'hello'],
      ['a list', '[]'],
      ['cut short', first.slice(0, -1)],
      ['no id', first.replace('"id"', '"ident"')],
      ['an id that leads out of a folder', first.replace(/"id":"[^"]+"/, '"id":"../../../etc/cron.d/x"')],
      ['a sequence that is text', first.replace('"sequence":1', '"sequence":"one"')],
      ['a sequence below zero', first.replace('"sequence":1', '"sequence":-1')],
    ].map(([name = '', body = '']) => ({ name, input: { body }, expect: 'body_invalid' })),
  ]

  function frameOf(body: string, isTest: boolean): object {
    const { id, type, timestamp, locationId: location, sequence } = JSON.parse(body) as Record<string, unknown>
    return { id, type, timestamp, locationId: location, sequence, isTest }
  }
}

const key = 'tg_test_example'

function requestCases(): Case[] {
  const first = { url: 'https://pos.example', key, after: 0, epoch: '', wait: 0 }
  const cases: [name: string, changes: Record<string, string | number>, path: string][] = [
    ['the first one', {}, '/v1/events/'],
    ['going on', { after: 48_211, epoch }, '/v1/events/'],
    ['waiting for news', { after: 48_211, epoch, wait: 25 }, '/v1/events/'],
    ['a base with a slash at its end', { url: 'https://pos.example/' }, '/v1/events/'],
    ['a base below a path', { url: 'https://host.example/pos' }, '/pos/v1/events/'],
    ['the highest number', { after: Number.MAX_SAFE_INTEGER, epoch }, '/v1/events/'],
  ]
  return cases.map(([name, changes, path]) => {
    const input = { ...first, ...changes }
    const query = {
      after: String(input.after),
      wait: String(input.wait),
      ...(input.epoch === '' ? {} : { epoch: input.epoch }),
    }
    return { name, input, expect: { path, query, headers: { 'x-api-key': key } } }
  })
}

function pageCases(): Case[] {
  const all = new Set(eventTypes)
  const page = (name: string, entries: Entry[], next: number, head: number): Case => {
    const messages = entries.flatMap((entry) => toMessages(entry, all))
    const page = new PageBody(new BodyBudget().open(''))
    for (const message of messages) page.addParts([message.body])
    const body = Buffer.concat(page.finish({ meta: { next, head, epoch } })).toString()
    return {
      name,
      input: { body },
      expect: { ids: messages.map(({ id }) => id), after: next, epoch, isAtHead: next >= head },
    }
  }
  return [
    page('nothing yet', [], 0, 0),
    page('the last page', [entryOf(41, ['order.created']), entryOf(42, ['order.updated'])], 42, 42),
    page('more follows', [entryOf(41, ['order.created'])], 41, 90),
    page('one change that means two events', [entryOf(42, ['order.created', 'order.paid'])], 42, 42),
    page('numbers without an event: `next` is beyond the last one', [entryOf(41, ['order.created'])], 60, 90),
    page('no event among many numbers, and more to come', [], 1000, 5000),
  ]
}

/** Resolves to the problem document as the server writes it. */
async function problemBody(error: AppError): Promise<string> {
  const app = fastify({ genReqId: () => 'req-1' })
  const context = {
    publicUrl: 'https://pos.example',
    refusals: { refused() {} },
    availability: { failed() {} },
    keyErrors: { count() {} },
  }
  app.setErrorHandler((thrown: AppError, request: FastifyRequest, reply: FastifyReply) => {
    void sendProblem(context as unknown as Parameters<typeof sendProblem>[0], request, reply, thrown)
  })
  app.get('/v1/events/', () => {
    throw error
  })
  const { body } = await app.inject({ url: '/v1/events/' })
  await app.close()
  return body
}

async function errorCases(): Promise<Case[]> {
  const faults = [
    { in: 'query' as const, pointer: '/size', code: 'out_of_range' as const, detail: 'size must be at least 1' },
  ]
  const errors = [
    ...(Object.keys(problems) as ProblemCode[]).map((code) => new AppError(code)),
    validationFailed(faults),
    new AppError('sequence_ahead', 'the journal ends at 7 and does not have 9', { members: { epoch, head: 7 } }),
  ]
  const documents = errors.map(async (error): Promise<Case> => {
    const expect = { code: error.code, detail: error.message, requestId: 'req-1' }
    const name = error.errors
      ? 'faults in the request'
      : Object.keys(error.members).length > 0
        ? 'more members'
        : error.code
    return { name, input: { status: error.status, body: await problemBody(error) }, expect }
  })
  const foreign = [
    ['a page of a proxy', 502, '<html><body>Bad Gateway</body></html>'],
    ['nothing', 504, ''],
    ['JSON of somebody else', 403, '{"message":"Forbidden"}'],
    ['a list', 500, '[]'],
  ] as const
  return [
    ...(await Promise.all(documents)),
    ...foreign.map(([name, status, body]) => ({
      name,
      input: { status, body },
      expect: { code: 'unexpected_answer', detail: `the server answered ${status}`, requestId: '' },
    })),
  ]
}

function retryCases(): Case[] {
  const first = { status: 503, retryAfter: '', attempt: 0, random: 0.5 }
  const statuses = [...new Set(Object.values(problems).map(([status]) => status))].toSorted((a, b) => a - b)
  const again = (status: number) => status === 408 || status === 429 || status >= 500
  const cases: [name: string, changes: Partial<typeof first>, expect: number | null][] = [
    ...statuses.map((status): [string, Partial<typeof first>, number | null] => [
      `${status}`,
      { status },
      again(status) ? 100 : null,
    ]),
    ['no answer', { status: 0 }, 100],
    ['502 of a proxy', { status: 502 }, 100],
    ['504 of a proxy', { status: 504 }, 100],
    ['twice as long at most each time', { attempt: 3 }, 800],
    ['never more than 10 s by itself', { attempt: 40, random: 0.75 }, 7500],
    ['full jitter: the wait may be nothing', { random: 0 }, 0],
    ['never sooner than the server says', { retryAfter: '3' }, 3000],
    ['nor later than it by the jitter alone', { retryAfter: '1', attempt: 9, random: 0.5 }, 5000],
    ['a Retry-After that cannot be read', { retryAfter: 'soon' }, 100],
    ['what the server refuses is not asked again, whatever it says', { status: 403, retryAfter: '3' }, null],
  ]
  return cases.map(([name, changes, expect]) => ({ name, input: { ...first, ...changes }, expect }))
}

/** Resolves to all vectors by kind. */
export async function conformanceVectors(): Promise<Record<string, Vectors>> {
  return {
    signature: {
      about:
        '`ok`, or why a request is not a delivery. `secrets` are those of the receiver, separated by spaces; `now` is its clock.',
      cases: signatureCases(),
    },
    event: { about: 'The frame of an event, or `body_invalid`.', cases: eventCases() },
    request: {
      about: 'The next request to the feed. The query may have further parameters, such as `limit`.',
      cases: requestCases(),
    },
    page: { about: 'Ids of a page of the feed, and the position after it.', cases: pageCases() },
    error: { about: 'The content of an answer that is not a success.', cases: await errorCases() },
    retry: {
      about:
        'Milliseconds until a read is repeated; null for never. `random` is from 0 up to 1; status 0 means no answer.',
      cases: retryCases(),
    },
  }
}

export const vectorsFolder = resolve(import.meta.dirname, '../client/conformance')

const toText = (vectors: Vectors) => `${JSON.stringify(vectors, null, 2)}\n`

if (import.meta.main) {
  for (const [kind, vectors] of Object.entries(await conformanceVectors())) {
    writeFileSync(resolve(vectorsFolder, `${kind}.json`), toText(vectors))
  }
}
