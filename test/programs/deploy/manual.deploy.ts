import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { start } from '../../support/cli.ts'
import { blocksOf } from '../../support/guide-blocks.ts'
import { freePort } from '../../support/ports.ts'
import { needs } from '../../support/tools.ts'
import { globalSetup as pack, globalTeardown as discard } from './pack.ts'

const page = 'docs/operate/operations.md'
const folder = await mkdtemp(join(tmpdir(), 'tillgate-manual-'))
// The account of the database needs access; otherwise its data is stored elsewhere.
await chmod(folder, 0o755)

after(async () => {
  await rm(folder, { recursive: true, force: true })
  await discard()
})

/**
 * Writes a script of all `sh` blocks, which prints the number of the first line of each block before it runs the block.
 * Blocks without a language need a published package or a service of the system.
 */
function toScript(): string {
  const blocks = blocksOf(page).filter(({ language }) => language === 'sh')
  assert.ok(blocks.length >= 12)
  for (const { role } of blocks) assert.equal(role, 'run', 'every sh block of the manual is run')
  return blocks.map(({ line, text }) => `echo "# line ${line}" >&2\n${text}`).join('')
}

describe('the manual', needs('curl', 'openssl', 'awk', 'npm'), () => {
  test('every sh block of docs/operate/operations.md does what the page states, in order', async () => {
    const [port, operations, second] = [await freePort(), await freePort(), await freePort()]
    const script = toScript()
      .replaceAll(/\/(opt|var\/lib|var\/backups)\//g, `${folder}/$1/`)
      .replaceAll(':4747', `:${port}`)
      .replaceAll(':4748', `:${operations}`)
      .replaceAll('4757', `${second}`)
    const file = join(folder, 'manual.sh')
    // A server that runs when a line fails must not outlive the shell.
    await writeFile(
      file,
      `set -eu\nmkdir -p ${folder}/var/lib ${folder}/var/backups\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${script}`,
    )
    const env = {
      PACKAGE: await pack(),
      TILLGATE_PORT: `${port}`,
      TILLGATE_OPERATIONS_ADDRESS: `127.0.0.1:${operations}`,
      TILLGATE_DISK_RESERVE: '0',
    }
    const { code, stdout, stderr } = await start('bash', [file], { env, cwd: folder }).ended
    assert.equal(code, 0, `${stdout.slice(-2_000)}\n${stderr.slice(-4_000)}`)
    assert.match(stdout, /Bistro de la Gare/)
    assert.match(stdout, /^deleted [0-9a-f-]{36}$/m)
    assert.match(stdout, /^tillgate_\w+/m)
    assert.doesNotMatch(stderr, /"level":"error"/)
  })
})
