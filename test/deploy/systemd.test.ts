import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { settings } from '../../src/config.ts'
import { needs, run } from '../support/tools.ts'

const folder = join(import.meta.dirname, '../../deploy/systemd')
const units = readdirSync(folder).filter((name) => /\.(service|socket|timer)$/.test(name))
const services = units.filter((name) => name.endsWith('.service'))

describe('the units of systemd', needs('systemd-analyze'), () => {
  for (const name of services) {
    test(`${name} leaves little open: an exposure of 1.5 at most`, async () => {
      const { stdout } = await run('systemd-analyze', ['security', '--offline=true', join(folder, name)])
      const [, level] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? []
      assert.ok(Number(level) <= 1.5, `${level}`)
    })
  }

  test('hold nothing that systemd does not understand', async () => {
    const { stderr } = await run(
      'systemd-analyze',
      ['verify', '--man=no', ...units.map((name) => join(folder, name))],
      {
        cwd: folder,
      },
    ).catch((error: { stderr: string }) => error)
    // The package brings the program.
    const complaints = stderr.split('\n').filter((line) => !/^$|\/usr\/bin\/tillgate is not executable/.test(line))
    assert.deepEqual(complaints, [])
  })
})

test('the units set no variable that the program would warn of', () => {
  const known = new Set<string>(Object.values(settings).map(({ env }) => env))
  const set = units.flatMap((name) => readFileSync(join(folder, name), 'utf8').match(/\bTILLGATE_\w+(?==)/g) ?? [])
  assert.ok(set.length > 0)
  assert.deepEqual(
    set.filter((name) => !known.has(name)),
    [],
  )
})
