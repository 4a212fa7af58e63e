import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { goTo, noChromium, openConsole, visitAs } from '../support/console.ts'
import { atEnd } from '../support/database.ts'
import { needs } from '../support/tools.ts'
import { eventually } from '../support/waiting.ts'

const parts = await openConsole({ days: 1, ordersPerDay: 20 })

const toPage = (text: string) => JSON.parse(text).data as unknown
/** Returns complete lines of a word and a number. */
const toLines = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' '))
    .map(([word, number]) => [word, Number(number)])

type Language = { file: string; command: [program: string, ...args: string[]]; read: (output: string) => unknown }

/** How a snippet of the screen is run unchanged, and how its output is read. */
const languages: Record<string, Language> = {
  curl: { file: 'quick.sh', command: ['sh', 'quick.sh'], read: toPage },
  JavaScript: { file: 'quick.mjs', command: [process.execPath, 'quick.mjs'], read: toLines },
  Python: { file: 'quick.py', command: ['python3', 'quick.py'], read: toLines },
  PHP: { file: 'quick.php', command: ['php', 'quick.php'], read: toLines },
  Go: { file: 'quick.go', command: ['go', 'run', 'quick.go'], read: toPage },
}

describe('the quick start of the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts

  /** Reads the snippet of each language, as on the screen. */
  const texts = (async () => {
    const { context, page, findings } = await visitAs(browser, site)
    await goTo(page, site, '/key')
    const choice = page.locator('#main').getByLabel('Language')
    const text = page.getByRole('region', { name: 'Quick start' })
    const found = new Map<string, string>()
    for (const name of await choice.locator('option').allInnerTexts()) {
      await choice.selectOption(name)
      found.set(name, await text.innerText())
    }
    assert.deepEqual(findings, [])
    await context.close()
    return found
  })()

  /** Creates a folder in which the client is installed. */
  const folder = (async () => {
    const work = await mkdtemp(join(tmpdir(), 'tillgate-quick-start-'))
    atEnd(() => rm(work, { recursive: true, force: true }))
    const client = join(work, 'node_modules/@tillgate/client')
    await mkdir(client, { recursive: true })
    await writeFile(join(client, 'package.json'), '{"type":"module","exports":"./index.js"}')
    const source = pathToFileURL(join(import.meta.dirname, '../../client/src/index.ts')).href
    await writeFile(join(client, 'index.js'), `export * from '${source}'\n`)
    return work
  })()

  /** Runs a snippet until it prints the expected output or ends: a reader of the feed does not end. */
  async function answerOf({ command: [program, ...args], read }: Language, isWanted: (answer: unknown) => boolean) {
    const child = spawn(program, args, { cwd: await folder, env: { ...process.env, KEY: site.key } })
    let [output, errors] = ['', '']
    let hasEnded = false
    child.stdout.on('data', (chunk) => (output += String(chunk)))
    child.stderr.on('data', (chunk) => (errors += String(chunk)))
    child.on('close', () => (hasEnded = true))
    const isThere = () => {
      try {
        return isWanted(read(output))
      } catch {
        return false
      }
    }
    try {
      await eventually(() => hasEnded || isThere(), `${program} answers`)
      return isThere() || child.exitCode === 0 ? read(output) : assert.fail(`${child.exitCode}: ${output}${errors}`)
    } finally {
      child.kill('SIGKILL')
    }
  }

  test('has the languages that are tested here, and contains no key', async () => {
    assert.deepEqual([...(await texts).keys()], Object.keys(languages))
    for (const text of (await texts).values()) assert.ok(!text.includes(site.key))
  })

  for (const [name, language] of Object.entries(languages)) {
    const { skip } = needs(name === 'curl' ? 'curl' : language.command[0])
    if (skip) console.log(`quick start: ${name} is not tried, ${skip}`)

    test(`in ${name} returns the same as the API, run as shown on the screen`, { skip }, async () => {
      await writeFile(join(await folder, language.file), (await texts).get(name) ?? '')
      const orders = (await site.get('/v1/orders/?sort=-createdAt&size=10')).data
      const events = (await site.get('/v1/events/?types=order.paid&limit=1000')).data
      const wanted =
        language.read === toPage
          ? orders
          : name === 'JavaScript'
            ? events.map((event: any) => [String(event.sequence), event.data.total])
            : orders.map((order: any) => [order.orderNumber, order.total])
      assert.ok(wanted.length > 5)
      const isWanted = (answer: unknown) => Array.isArray(answer) && answer.length >= wanted.length
      assert.deepEqual(await answerOf(language, isWanted), wanted)
    })
  }
})
