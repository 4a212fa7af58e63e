import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandsOn, newFolder } from '../../support/cli.ts'
import { blankedProof, emptyNote, forgedProofs, formerProof, proofKey, proofOf } from '../../support/forged-proofs.ts'
import { offline } from './shop.ts'

const folder = newFolder()
const script = new URL('../../../docs/verify/verify.mjs', import.meta.url).pathname

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

function run(...args: string[]): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' })
  return { status, text: stdout + stderr }
}

test('script and command refuse a proof that was changed or contradicts itself, and state why', async () => {
  const files = forgedProofs.map(([, proof], i) => file(`${i}.tlog-proof`, proof))
  // The command runs the functions of the script.
  const { status, text } = run('proof', files[0] as string, proofKey)
  assert.equal(status, 1, text)
  assert.match(text, forgedProofs[0]?.[2] as RegExp)
  const { code, stdout } = await commandsOn({ env: offline }).run`verify --proof ${files} --key ${proofKey} --json`
  assert.equal(code, 1)
  const verdicts = JSON.parse(stdout).files as { verified: boolean; reason: string }[]
  assert.deepEqual(
    verdicts.map(({ verified, reason }, i) => [verified, forgedProofs[i]?.[2].test(reason) ? 'as expected' : reason]),
    forgedProofs.map(() => [false, 'as expected']),
  )
})

test('a genuine proof is accepted, also of redacted data, and of an earlier build', async () => {
  const honest = run('proof', file('honest', proofOf()), proofKey)
  assert.equal(honest.status, 0, honest.text)
  assert.match(honest.text, /^verified: order .* Its document is the one that was accepted, byte for byte\./)
  assert.equal(run('proof', file('former', formerProof), proofKey).status, 0)
  const blanked = run('proof', file('blanked', blankedProof), proofKey)
  assert.equal(blanked.status, 0, blanked.text)
  assert.match(blanked.text, /Its document was blanked since/)
})

test('a proof that an empty journal grew is refused', () => {
  const [, note = ''] = /\n\n([\s\S]*)$/.exec(proofOf()) ?? []
  const empty = run('growth', file('growth', `old 0\n\n${note}`), file('older', emptyNote), proofKey)
  assert.equal(empty.status, 1, empty.text)
  assert.match(empty.text, /the older tree is empty: its growth proves nothing/)
})
