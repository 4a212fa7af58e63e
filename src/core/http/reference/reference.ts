import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** The interactive reference: its page, and the script that it loads from `js/scalar.js`. */
export type Reference = { page: string; script: Uint8Array<ArrayBuffer> }

/** Placeholder in the reference's page for the nonce of each answer. */
export const nonceMark = 'nonce-of-this-answer'

/**
 * A sample key in the script of the reference, which is replaced: it looks like a key, but does not have the form of
 * one.
 */
const jokeKey = 'QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT'

/** Gives the page storage while it is open. Its sandbox has none, and the script of the reference needs it. */
const storage = `for (const name of ['localStorage', 'sessionStorage']) {
  const kept = new Map()
  const value = {
    getItem: (key) => kept.get(String(key)) ?? null,
    setItem: (key, text) => void kept.set(String(key), String(text)),
    removeItem: (key) => void kept.delete(String(key)),
    clear: () => kept.clear(),
    key: (n) => [...kept.keys()][n] ?? null,
    get length() { return kept.size },
  }
  Object.defineProperty(window, name, { value })
}`

/** The message that makes the thread render the reference. */
const toBeMade = 'tillgate: the reference'

/** Makes the reference in a thread: compiling a package of 4 MB would block other requests for a fifth of a second. */
export async function loadReference(): Promise<Reference> {
  const worker = new Worker(import.meta.filename, { workerData: toBeMade, execArgv: [] })
  try {
    const [reference] = (await once(worker, 'message')) as [Reference]
    return reference
  } finally {
    await worker.terminate()
  }
}

/** Renders the reference page and loads its script. It runs in the separate thread only. */
async function makeReference(): Promise<Reference> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const { fastify } = await import('fastify')
  const app = fastify()
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      nonce: nonceMark,
      url: '../openapi.json',
      withDefaultFonts: false,
      hideClientButton: true,
      telemetry: false,
      // These link to external services.
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
      authentication: { preferredSecurityScheme: 'apiKey' },
      defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
      pageTitle: 'Tillgate API',
    },
  })
  const page = (await app.inject('/docs/')).payload
  const script = (await app.inject('/docs/js/scalar.js')).payload
  return {
    page: page.replace('<script', `<script nonce="${nonceMark}">${storage}</script><script`),
    script: new TextEncoder().encode(script.replaceAll(jokeKey, 'tg_live_…')),
  }
}

if (!isMainThread && workerData === toBeMade) {
  void makeReference().then((reference) => parentPort?.postMessage(reference, [reference.script.buffer]))
}
