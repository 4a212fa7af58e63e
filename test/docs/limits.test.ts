import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { settings, settingNames, type Setting } from '../../src/core/config.ts'
import { problems } from '../../src/core/contract/errors/errors.ts'
import { stopCodes } from '../../src/core/contract/errors/faults.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/contract/limits.md'), 'utf8')

const rows = [...page.matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)]
  .map(([, what = '', limit = '', place = '', past = '']) => ({ what, limit, place, past }))
  .filter(({ what }) => what !== 'What')

const units: Record<string, number> = { KiB: 1024, MiB: 1024 ** 2, s: 1_000, h: 3_600_000 }

/** Parses `8 MiB` as bytes, `60 s` as milliseconds, `1,000` and `100 a second` as plain numbers. */
function valueOf(limit: string): number {
  const [, digits = '', unit = ''] = /^([\d,]+)(?: (\S+))?/.exec(limit) ?? []
  return Number(digits.replaceAll(',', '')) * (units[unit] ?? 1)
}

const milliseconds: Record<string, number> = { secondMs: 1_000, minuteMs: 60_000, hourMs: 3_600_000, dayMs: 86_400_000 }

/** Returns the value of the constant in the file: a number, or a product of numbers. */
function constantOf(file: string, name: string): number | undefined {
  const text = readFileSync(join(root, file), 'utf8')
    .replaceAll('* mib', `* ${1024 ** 2}`)
    .replaceAll(/\b(?:second|minute|hour|day)Ms\b(?=[\n* ])/g, (unit) => String(milliseconds[unit]))
  const [, written] = new RegExp(`\\b(?:const ${name} =|${name}:) ([\\d_ *]+)[\\n,}]`).exec(text) ?? []
  return written?.split('*').reduce((product, factor) => product * Number(factor.replaceAll('_', '').trim()), 1)
}

test('every limit of the page equals its setting or its constant', () => {
  assert.ok(rows.length > 20)
  let budgets = 0
  const byVariable = new Map<string, Setting>(settingNames.map((name) => [settings[name].env, settings[name]]))
  for (const { what, limit, place } of rows) {
    const [first = '', name = ''] = [...place.matchAll(/`([^`]+)`/g)].map((match) => match[1])
    if (first.startsWith('TILLGATE_')) {
      assert.equal(byVariable.get(first)?.default, valueOf(limit), what)
    } else if (first.startsWith('src/')) {
      assert.ok(existsSync(join(root, first)), `${what}: there is no ${first}`)
      const [, process, key] = /^(\d+ MiB), (\d+ MiB) of one key$/.exec(limit) ?? []
      if (process && key) {
        const held = [constantOf(first, 'process'), constantOf(first, 'key')]
        assert.deepEqual(held, [valueOf(process), valueOf(key)], what)
        budgets += 1
      }
      // A row that names a file but no constant describes more than one number, so nothing is compared.
      if (name !== '') assert.equal(constantOf(first, name), valueOf(limit), `${what}: ${place}`)
    } else assert.match(place, /^Node\.js$/, what)
  }
  assert.equal(budgets, 2)
})

test('every setting that is a limit is on the page', () => {
  const named = settingNames.filter(
    (name) => ['rateLimit', 'rateBurst'].includes(name) || settings[name].group === 'Limits',
  )
  for (const name of named) assert.ok(page.includes(`\`${settings[name].env}\``), name)
})

test('every error of the page exists, with its status', () => {
  let found = 0
  for (const { what, past } of rows) {
    for (const [, status, code = ''] of past.matchAll(/(\d{3}) `(\w+)`/g)) {
      const known = Object.hasOwn(problems, code) ? problems[code as keyof typeof problems][0] : undefined
      assert.equal(known, Number(status), `${what}: ${code}`)
      found += 1
    }
  }
  assert.ok(found > 10)
})

test('every problem, and every end of a push, about a size, number or speed is on the page', () => {
  for (const [code, [status]] of Object.entries(problems)) {
    if ([408, 413, 429, 431].includes(status)) assert.ok(page.includes(`\`${code}\``), code)
  }
  const limiting = stopCodes.filter((code) => /too|bomb|interrupted|low$/.test(code))
  assert.ok(limiting.length > 5)
  for (const code of limiting) assert.ok(page.includes(`\`${code}\``), code)
})
