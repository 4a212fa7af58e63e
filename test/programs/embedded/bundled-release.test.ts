import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkBinaries } from '../../../src/modules/operations/cli/checks.ts'
import { findBinaries } from '../../../src/core/embedded/binaries.ts'
import { bundledRelease, oldAfterDays } from '../../../src/core/embedded/bundled-release.ts'

test('the version and date of the bundled PostgreSQL are those of the installed server', async () => {
  const { root } = await findBinaries(null)
  const version = execFileSync(join(root, 'native/bin/postgres'), ['--version'], { encoding: 'utf8' })
  assert.match(version, new RegExp(`\\b${bundledRelease.version.replace('.', '\\.')}\\b`))
})

test('doctor shows the age of the bundled PostgreSQL, and warns if it lacks two releases', async () => {
  const after = (days: number) => new Date(Date.parse(bundledRelease.releasedOn) + days * 86_400_000)
  assert.equal((await checkBinaries(null, after(oldAfterDays))).status, 'ok')
  const old = await checkBinaries(null, after(oldAfterDays + 1))
  assert.equal(old.status, 'warn')
  assert.match(old.detail, /^PostgreSQL 18\.4 of 2026-05-14 .*: it is 191 days old and may lack fixes$/)
})
