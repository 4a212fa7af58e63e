import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomOf, type Random } from '../../../simulator/random.ts'

type Json = any

/** A request to a system, as its fake server reads it. */
export type Call = {
  method: string
  path: string
  query: URLSearchParams
  body: Json
  headers: IncomingMessage['headers']
}

export type Answer = { status: number; body: Json }

/** A shop with the API of its system. Times are virtual. */
export type FakeShop = {
  /** Causes a random event: a sale, an edit, a refund, a deletion, a till that reconnects. */
  act(): void
  answer(call: Call): Answer
  /** Returns everything that the point-of-sale system would return now; Tillgate must have stored all of it. */
  state(): Json[]
  /** Corrupts the value of one member at times, in the response and not in the shop. */
  spoil(body: Json, random: Random): void
}

export class VirtualClock {
  ms: number
  constructor(start: string) {
    this.ms = Date.parse(start)
  }
  now = (): Date => new Date(this.ms)
  advance(ms: number): void {
    this.ms += ms
  }
  iso(backMs = 0): string {
    return new Date(this.ms - backMs).toISOString()
  }
}

export type FakeServer = {
  url: string
  /** The currently valid token; another may replace it in the middle of a run. */
  token: string
  /** Called when the token has changed. */
  rotated: () => void
  /** Ends all faults and all activity in the shop. */
  calm(): void
  requests: number
  /** While silence is on, no request gets a response. Turning it off ends the connections that wait. */
  silence(isOn: boolean): void
  faults: Map<string, number>
  close(): Promise<void>
}

const faultNames = ['wait', 'wait-stated', 'rotated', 'error', 'cut', 'reset', 'silence', 'spoilt'] as const

/** Answers for a shop on loopback, with random faults; between two requests the shop continues. */
export async function startFake(
  shop: FakeShop,
  { seed, clock, isLogin = () => false }: { seed: number; clock: VirtualClock; isLogin?: (call: Call) => boolean },
): Promise<FakeServer> {
  const random = randomOf('faults', seed)
  let isCalm = false
  let isSilent = false
  const held = new Set<ServerResponse>()
  const fake: FakeServer = {
    url: '',
    token: 'token-0',
    rotated: () => {},
    requests: 0,
    faults: new Map(),
    calm: () => (isCalm = true),
    silence(isOn) {
      isSilent = isOn
      if (isOn) return
      for (const response of held) response.destroy()
      held.clear()
    },
    close: async () => {
      for (const response of held) response.destroy()
      server.close()
      server.closeAllConnections()
      await once(server, 'close').catch(() => {})
    },
  }
  const send = (response: ServerResponse, { status, body }: Answer, headers: Record<string, string> = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
  const isFaulty = (fault: (typeof faultNames)[number], response: ServerResponse, answer: () => Answer): boolean => {
    fake.faults.set(fault, (fake.faults.get(fault) ?? 0) + 1)
    if (fault === 'wait') send(response, { status: 429, body: {} })
    else if (fault === 'wait-stated')
      send(response, { status: 429, body: {} }, { 'retry-after': String(random.int(1, 90)) })
    else if (fault === 'error') send(response, { status: 500 + random.int(0, 3), body: { message: 'oops' } })
    else if (fault === 'reset') response.socket?.destroy()
    else if (fault === 'silence') held.add(response)
    else if (fault === 'rotated') {
      fake.token = `token-${fake.requests}`
      fake.rotated()
      send(response, { status: 401, body: {} })
    } else {
      const good = answer()
      if (good.status !== 200) return false
      const text = JSON.stringify(good.body)
      if (fault === 'cut') response.writeHead(200).end(text.slice(0, Math.floor(text.length * random.next())))
      else {
        const body = JSON.parse(text) as Json
        shop.spoil(body, random)
        send(response, { ...good, body })
      }
    }
    return true
  }
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const url = new URL(request.url ?? '/', 'http://fake')
    const text = Buffer.concat(chunks).toString()
    const call: Call = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      body: text === '' ? null : JSON.parse(text),
      headers: request.headers,
    }
    fake.requests += 1
    if (isSilent) return void held.add(response)
    clock.advance(random.int(20, 400))
    if (!isCalm && random.chance(0.3)) shop.act()
    if (!isLogin(call) && !(request.headers.authorization ?? '').endsWith(fake.token)) {
      return send(response, { status: 401, body: { errors: [{ code: 'UNAUTHORIZED' }] } })
    }
    if (!isCalm && random.chance(0.25) && isFaulty(random.pick(faultNames), response, () => shop.answer(call))) return
    send(response, shop.answer(call))
  }
  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => send(response, { status: 599, body: { fake: error.stack } }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return fake
}
