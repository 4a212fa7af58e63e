import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findHead } from '../../../src/core/store/journal/journal.ts'
import { addLocation } from '../../support/app.ts'
import { main, start, tillgate, toUrl } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { eventually } from '../../support/waiting.ts'

const { pool, connection } = await createDatabase()
const env = { DATABASE_URL: toUrl(connection) }
const id = await addLocation(pool)
const headOf = async () => (await findHead(pool, id))?.seq ?? 0

/** Runs `tillgate resume` in a terminal and types the response to its question. */
async function resumeAtTerminal(answer: string, ...flags: string[]) {
  const command = [process.execPath, main, 'resume', ...flags].map((word) => `'${word}'`).join(' ')
  const running = start('script', ['-qec', command, '/dev/null'], { env, input: null })
  let over = false
  void running.ended.then(() => (over = true))
  await eventually(() => over || running.written.stdout.includes('Continue?'), 'it asks')
  if (!over) running.child.stdin?.write(answer)
  const ended = await running.ended
  return { ...ended, prompted: ended.stdout.includes('Continue?') }
}

test('asks at a terminal before it skips sequences, and changes nothing without a yes', async () => {
  const before = await headOf()
  // The responses are Enter, a no, and the end of input.
  for (const answer of ['\n', 'no\n', '\u0004']) {
    const { code, prompted, stdout } = await resumeAtTerminal(answer)
    assert.deepEqual([code, prompted], [2, true], stdout)
    assert.match(stdout, /was restored to an earlier state.* 1 location .*error: nothing was changed/s)
    assert.equal(await headOf(), before)
  }
  const interrupted = await resumeAtTerminal('\u0003')
  assert.deepEqual([interrupted.code, interrupted.prompted], [130, true], interrupted.stdout)
  assert.equal(await headOf(), before)
  const { code, stdout } = await resumeAtTerminal('y\n')
  assert.equal(code, 0, stdout)
  assert.ok((await headOf()) >= before + 1_000_000)
})

test('runs without a question with --yes, and without a terminal', async () => {
  const before = await headOf()
  const { code, prompted } = await resumeAtTerminal('', '--yes')
  assert.deepEqual([code, prompted], [0, false])
  const scripted = await tillgate(['resume', '--location', id], { env })
  assert.equal(scripted.code, 0, scripted.stderr)
  assert.ok((await headOf()) >= before + 2_000_000)
})
