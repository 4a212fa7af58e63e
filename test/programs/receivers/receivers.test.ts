import assert from 'node:assert/strict'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Tillgate, TillgateError, verifyWebhook, type WebhookRefused } from '../../../client/src/index.ts'
import { conformanceVectors, vectorsFolder, type Vectors } from '../../../scripts/write-vectors.ts'
import { parseSecret } from '../../../src/core/delivery/secrets.ts'
import { signatureHeaders } from '../../../src/core/delivery/sign.ts'
import { startApp } from '../../support/app.ts'
import { atEnd } from '../../support/database.ts'
import { freePort } from '../../support/ports.ts'
import { orderOf } from '../../support/records.ts'
import { projectRoot as root } from '../../support/project-files.ts'
import { eventually } from '../../support/waiting.ts'
import { end, languages, run, work, type Language } from './languages.ts'

const vectors = await conformanceVectors()
const app = await startApp()

/** Returns a request with its query in a canonical order, without the parameters that the reader adds itself. */
function toComparable(kind: string, result: any): unknown {
  if (kind !== 'request') return result
  const { pathname, searchParams } = new URL(result.url as string)
  const { limit: _, ...query } = Object.fromEntries(searchParams)
  return { path: pathname, query, headers: result.headers }
}

test('the vectors equal the server’s current output (npm run make -- vectors writes new ones)', async () => {
  for (const [kind, { cases }] of Object.entries(vectors)) {
    const written = JSON.parse(await readFile(join(vectorsFolder, `${kind}.json`), 'utf8')) as Vectors
    assert.ok(written.cases.length > 5, kind)
    // New codes and events may be added, but existing ones must not change.
    const now = new Map(cases.map((one) => [one.name, one]))
    for (const one of written.cases) assert.deepEqual(one, now.get(one.name), `${kind}: ${one.name}`)
  }
  assert.deepEqual((await readdir(vectorsFolder)).length, Object.keys(vectors).length)
})

test('the server answers the requests of the vectors', async () => {
  await app.store([{ type: 'order', data: orderOf(app.location, 1) }])
  const { epoch } = (await app.get('/v1/events/')).json.meta
  for (const { name, expect } of vectors['request']?.cases ?? []) {
    const { path, query } = expect as { path: string; query: Record<string, string> }
    const parameters = { ...query, after: '1', wait: '0', ...(query['epoch'] === undefined ? {} : { epoch }) }
    const answer = await app.get(`${path.replace('/pos', '')}?${new URLSearchParams(parameters).toString()}`)
    assert.deepEqual([answer.status, answer.json.meta.next], [200, 1], name)
  }
})

const secretsOf = ({ secrets }: Record<string, string | number>) => String(secrets).split(' ')

/** Functions by kind that return the result of the client in the form of the vectors. */
const client: Record<string, (input: Record<string, any>) => Promise<unknown>> = {
  signature: async (input) => {
    const headers = Object.fromEntries(
      ['id', 'timestamp', 'signature'].map((name) => [`webhook-${name}`, String(input[name])]),
    )
    const refusal = await verifyWebhook(input['body'], headers, secretsOf(input), {
      now: new Date(input['now'] * 1000),
    })
      .then(() => 'ok')
      .catch(({ reason }: WebhookRefused) => reason)
    // These bodies are only for signatures; they are not events.
    return refusal === 'body_invalid' ? 'ok' : refusal
  },
  event: async ({ body }) => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const key = parseSecret(secret)
    const now = new Date()
    const { id = 'evt_x' } = /"id":"(?<id>[\w-]+)"/.exec(body)?.groups ?? {}
    const timestampS = Math.floor(now.getTime() / 1000)
    const headers = signatureHeaders({ id, timestampS, body: Buffer.from(body), keys: key ? [key] : [] })
    return verifyWebhook(body, { ...headers }, secret)
      .then(({ event, isTest }) => {
        const { type, timestamp, locationId, sequence } = event
        return { id: event.id, type, timestamp, locationId, sequence, isTest }
      })
      .catch(({ reason }: WebhookRefused) => reason)
  },
  error: async ({ status, body }) => {
    const client = new Tillgate({
      url: 'http://127.0.0.1:1',
      key: 'x',
      deadlineMs: 1,
      fetch: async () => new Response(body, { status }),
    })
    const error = await client.health().catch((thrown: unknown) => thrown)
    assert.ok(error instanceof TillgateError)
    return { code: error.code, detail: error.message, requestId: error.requestId ?? '' }
  },
}

test('the client passes the vectors', async () => {
  for (const [kind, read] of Object.entries(client)) {
    for (const { name, input, expect } of vectors[kind]?.cases ?? []) {
      assert.deepEqual(await read(input), expect, `${kind}: ${name}`)
    }
  }
})

type Served = { child: ChildProcess; output: () => string }

async function serve(language: Language, port: number, env: NodeJS.ProcessEnv): Promise<Served> {
  const [program, ...args] = language.serve(port)
  const child = spawn(program, args, { cwd: work, env: { ...process.env, ...env } })
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  child.stderr.on('data', (chunk) => (output += String(chunk)))
  atEnd(async () => void child.kill('SIGKILL'))
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    )
  await eventually(() => child.exitCode !== null || answers(), `${language.name} listens`)
  assert.equal(child.exitCode, null, output)
  return { child, output: () => output }
}

for (const language of languages) {
  const [program, ...args] = language.needs
  const isMissing = spawnSync(program, args).status !== 0
  if (isMissing) console.log(`receivers: ${program} is not installed, ${language.name} is not tested`)

  describe(`the receiver in ${language.name}`, { skip: isMissing && `${program} is not installed` }, () => {
    test('passes every vector', async () => {
      if (language.build) await run(language.build)
      const inputs = Object.entries(vectors).map(([kind, { cases }]) => [kind, cases.map(({ input }) => input)])
      const results = JSON.parse(
        await run(
          language.conformance,
          { RECEIVER_DIR: join(work, 'none') },
          JSON.stringify(Object.fromEntries(inputs)),
        ),
      ) as Record<string, unknown[]>
      for (const [kind, { cases }] of Object.entries(vectors)) {
        for (const [i, { name, expect }] of cases.entries()) {
          assert.deepEqual(toComparable(kind, results[kind]?.[i]), expect, `${kind}: ${name}`)
        }
      }
    })

    test('does not start with a guessable secret', async () => {
      const key = Buffer.alloc(32, 7).toString('base64')
      const wrong = [
        'whsec_',
        'whsec_***',
        'whsec_====',
        'whsec_-',
        'whsec_AA==',
        `whsec_${key} whsec_`,
        key,
        `whsec_${key.slice(1)}`,
      ]
      for (const WEBHOOK_SECRETS of wrong) {
        if (language.name === 'php') {
          // PHP's server starts each request with new state, and its log explains the response.
          const code = `require '${join(root, 'receivers/php/receiver.php')}'; try { secrets(); echo 'taken'; } catch (RuntimeException $e) { echo $e->getMessage(); }`
          const output = await run(['php', '-r', code], { WEBHOOK_SECRETS })
          assert.match(output, /24 to 64 bytes/, WEBHOOK_SECRETS)
          continue
        }
        const port = await freePort()
        const { status, stderr } = await end(language.serve(port), { WEBHOOK_SECRETS, PORT: String(port) })
        assert.notEqual(status, 0, WEBHOOK_SECRETS)
        assert.match(stderr, /24 to 64 bytes/, WEBHOOK_SECRETS)
      }
    })

    test('sends the key of the feed to no other host', async () => {
      const seen: (string | undefined)[] = []
      const other = createServer((request, response) => {
        seen.push(request.headers['x-api-key'] as string | undefined)
        response.end('{}')
      }).listen(0, '127.0.0.1')
      await once(other, 'listening')
      const to = `http://localhost:${(other.address() as AddressInfo).port}/elsewhere`
      const server = createServer((_, response) => response.writeHead(302, { location: to }).end()).listen(
        0,
        '127.0.0.1',
      )
      await once(server, 'listening')
      try {
        const TILLGATE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        const { status } = await end(language.run('feed'), {
          TILLGATE_URL,
          TILLGATE_KEY: app.key,
          RECEIVER_DIR: join(work, `redirected-${language.name}`),
        })
        assert.notEqual(status, 0)
        assert.deepEqual(seen, [])
        const { mode } = await stat(join(work, `redirected-${language.name}`, 'inbox'))
        assert.equal(mode & 0o077, 0, 'the inbox is private')
      } finally {
        server.close()
        other.close()
      }
    })

    test('stores each event once, from deliveries and from the feed, across a kill, and processes all', async () => {
      const site = await app.addLocation()
      const port = await freePort()
      const url = `http://127.0.0.1:${port}/`
      const input = { events: ['order.paid'], endpointUrl: url, locationId: site.id, recipientId: site.id }
      const headers = { 'content-type': 'application/json' }
      const hook = await app.request('POST', '/v1/webhooks/', { key: site.key, headers, body: JSON.stringify(input) })
      const { secret } = (await app.get(`/v1/webhooks/${hook.json.id}/secret`, { key: site.key })).json
      const box = join(work, language.name)
      const env = {
        RECEIVER_DIR: box,
        PORT: String(port),
        WEBHOOK_SECRETS: `whsec_${Buffer.alloc(32).toString('base64')} ${secret}`,
        TILLGATE_URL: app.url,
        TILLGATE_KEY: site.key,
      }
      await app.store(
        [1, 2, 3].map((n) => ({ type: 'order', data: orderOf(site.id, n) })),
        site.key,
      )
      const feed = (await app.get('/v1/events/', { key: site.key })).json
      const ids: string[] = feed.data.map(({ id }: { id: string }) => id)
      const { child, output } = await serve(language, port, env)

      const tested = await app.request('POST', `/v1/webhooks/test/${hook.json.id}`, {
        key: site.key,
        headers,
        body: '{}',
      })
      assert.equal(tested.json['order.paid'].status, 204, JSON.stringify(tested.json))
      const key = parseSecret(secret)
      const deliver = async (n: number, atS = Math.floor(Date.now() / 1000), change = '') => {
        const body = Buffer.from(JSON.stringify(feed.data[n]))
        const signed = signatureHeaders({ id: ids[n] ?? '', timestampS: atS, body, keys: key ? [key] : [] })
        const { status } = await fetch(url, {
          method: 'POST',
          headers: { ...signed },
          body: `${body.toString()}${change}`,
        })
        return status
      }
      assert.deepEqual([await deliver(1), await deliver(1), await deliver(0)], [204, 204, 204])
      assert.equal(await deliver(2, undefined, ' '), 400)
      assert.equal(await deliver(2, Math.floor(Date.now() / 1000) - 400), 400)
      // A receiver that responds before everything has arrived may close the connection while the sender still sends.
      const tooLong = await deliver(2, undefined, ' '.repeat(4_300_000)).catch(() => 'cut off')
      assert.ok(tooLong === 413 || tooLong === 'cut off', String(tooLong))
      child.kill('SIGKILL')
      await once(child, 'exit')

      const names = async () =>
        [...(await readdir(join(box, 'inbox'))), ...(await readdir(join(box, 'done')))].filter(
          (name) => !name.startsWith('.'),
        )
      assert.equal((await names()).length, 2)
      await run(language.run('feed'), env)
      const all = await names()
      assert.deepEqual(all.map((name) => name.slice(17, -5)).toSorted(), ids.toSorted())
      const handled = output() + (await run(language.run('work'), env))
      for (const id of ids) assert.ok(handled.includes(id), `${id} was dealt with`)
      assert.deepEqual(await readdir(join(box, 'inbox')), [])
      for (const [n, name] of (await readdir(join(box, 'done'))).toSorted().entries()) {
        assert.deepEqual(JSON.parse(await readFile(join(box, 'done', name), 'utf8')), feed.data[n])
      }

      // Reading everything again returns nothing new; a position in another journal is left to a person.
      const position = join(box, language.name === 'csharp' ? 'position' : 'position.json')
      const reached = await readFile(position, 'utf8')
      await rm(position)
      await run(language.run('feed'), env)
      assert.equal(await run(language.run('work'), env), '')
      assert.equal(await readFile(position, 'utf8'), reached)
      await writeFile(position, reached.replace(feed.meta.epoch, '0badcafe'))
      const refused = await end(language.run('feed'), env)
      assert.equal(refused.status, 1)
      assert.match(refused.stderr, /epoch_changed/)
    })
  })
}
