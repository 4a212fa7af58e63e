import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseSecret } from '../../src/core/delivery/secrets.ts'
import { signatureHeaders } from '../../src/core/delivery/sign.ts'

const page = readFileSync(new URL('../../docs/contract/webhooks.md', import.meta.url), 'utf8')
const byHand = page.slice(page.indexOf('### By hand'), page.indexOf('makes a new secret'))

/** Returns a row of the table of the test vector. */
function part(name: string): string {
  const [, value] = new RegExp(`^\\| (?:\`${name}\`|${name}) \\| \`(.*)\` \\|$`, 'm').exec(byHand) ?? []
  assert.ok(value, `the page has a ${name}`)
  return value
}

const secret = part('secret')
const id = part('webhook-id')
const timestamp = part('webhook-timestamp')
const body = part('body')
const signature = part('webhook-signature')

test('the message of the page has the signature of the page', () => {
  const key = parseSecret(secret)
  assert.ok(key)
  const headers = signatureHeaders({ id, timestampS: Number(timestamp), body: Buffer.from(body), keys: [key] })
  assert.equal(headers['webhook-signature'], signature)
  const [, bytes] = /the body has (\d+) bytes/.exec(byHand) ?? []
  assert.equal(Buffer.byteLength(body), Number(bytes))
})

const hasPython = spawnSync('python3', ['--version']).status === 0

test('the Python of the page accepts messages signed with either secret, and no others', { skip: !hasPython }, () => {
  const [, lines] = /```python\n([^]*?)```/.exec(byHand) ?? []
  assert.ok(lines)
  const [other, good] = ['v1,AAAA', signature]
  const cases: [headers: [string, string], body: string, now: number, expected: boolean][] = [
    [[timestamp, good], body, Number(timestamp), true],
    [[timestamp, `${other} ${good}`], body, Number(timestamp) + 299, true],
    [[timestamp, `v1a,xyz ${other}`], body, Number(timestamp), false],
    [[timestamp, good], body.replace('12.50', '12.5'), Number(timestamp), false],
    [[String(Number(timestamp) + 1), good], body, Number(timestamp), false],
    [[timestamp, good], body, Number(timestamp) + 301, false],
    [[timestamp, good], body, Number(timestamp) - 301, false],
  ]
  const program = `${lines}
import json, sys
given = json.load(sys.stdin)
print(json.dumps([is_genuine(given["secret"],
  {"webhook-id": given["id"], "webhook-timestamp": t, "webhook-signature": s}, b.encode(), now)
  for ((t, s), b, now, _) in given["cases"]]))`
  const input = JSON.stringify({ secret, id, cases })
  const { stdout, stderr } = spawnSync('python3', ['-c', program], { input, encoding: 'utf8' })
  assert.deepEqual(
    JSON.parse(stdout || 'null'),
    cases.map((one) => one[3]),
    stderr,
  )
})
