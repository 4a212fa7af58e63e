import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDataDir, serve, stop } from '../../support/cli.ts'
import { needs, run } from '../../support/tools.ts'

const folder = join(import.meta.dirname, '../../../deploy')
const read = (path: string) => readFileSync(join(folder, path), 'utf8')
const rules = read('prometheus/rules.yml')
/** Alerts that fire within hours, and those that need days. */
const caseFiles = ['rules.test.yml', 'rules-of-days.test.yml']
const cases = caseFiles.map((name) => read(`prometheus/${name}`)).join('')
const dashboard = JSON.parse(read('grafana/tillgate.json'))

/** Returns the metrics in expressions, without the suffixes of histograms. */
function metricsIn(text: string): Set<string> {
  const names = text.match(/\b(tillgate|process|nodejs)_[a-z0-9_]+\b(?=[{[)\s])/g) ?? []
  return new Set(names.map((name) => name.replace(/_(bucket|count|sum)$/, '')))
}

test('every metric in a panel or an alert is exported by a server', async () => {
  const served = await serve([
    '--data-dir',
    await createDataDir({ filled: true }),
    '--operations-address',
    '127.0.0.1:0',
  ])
  const text = await (await fetch(`${served.line.operationsUrl}/metrics`)).text()
  await stop(served)
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type]) => ({ name, type }))
  assert.deepEqual(
    types.filter(({ name, type }) => name.endsWith('_total') !== (type === 'counter')),
    [],
    'counters and nothing else end in _total',
  )
  const live = new Set([...text.matchAll(/^# TYPE (\w+) \w+$/gm)].map(([, name]) => name))
  const panels = dashboard.panels as { title: string; targets?: { expr: string }[] }[]
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n')
  const named = [...metricsIn(expressions), ...metricsIn(rules.replaceAll(/^ +summary:.*$/gm, ''))]
  assert.ok(named.length > 30)
  assert.deepEqual(
    named.filter((name) => !live.has(name)),
    [],
  )
})

test('every Tillgate metric is in a panel', () => {
  const shown = JSON.stringify(dashboard)
  const listed = [
    ...readFileSync(join(folder, '../docs/operate/metrics.md'), 'utf8').matchAll(/^\| `(tillgate_\w+)`/gm),
  ]
  // Restarts are counted only with `--processes`, and are logged. The age of the bundled PostgreSQL changes rarely: an alert reports it.
  const left = new Set(['tillgate_process_restarts_total', 'tillgate_bundled_postgres_released_timestamp_seconds'])
  const missing = listed.map(([, name = '']) => name).filter((name) => !shown.includes(name) && !left.has(name))
  assert.deepEqual(missing, [])
})

test('every alert has test data that fires it, and a line in the manual', () => {
  const manual = readFileSync(join(folder, '../docs/operate/operations.md'), 'utf8')
  const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name)
  assert.ok(alerts.length >= 12)
  const fired = (name: string) => new RegExp(`alertname: ${name}\\n +exp_alerts:\\n`).test(cases)
  assert.deepEqual(
    alerts.filter((name) => !fired(name) || !manual.includes(`\`${name}\``)),
    [],
  )
})

test('the alerts fire when they should and not earlier', needs('promtool'), async () => {
  const prometheus = { cwd: join(folder, 'prometheus') }
  await run('promtool', ['check', 'config', 'scrape.yml'], prometheus)
  await run('promtool', ['test', 'rules', ...caseFiles], prometheus)
})
