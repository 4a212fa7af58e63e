import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, test } from 'node:test'
import { start, stop } from '../../support/cli.ts'
import { run } from '../../support/tools.ts'
import { eventually } from '../../support/waiting.ts'
import { globalSetup as pack, globalTeardown as discard } from './pack.ts'

const folder = await mkdtemp(join(tmpdir(), 'tillgate-install-'))
let packed = ''
let npm = ''

before(async () => {
  packed = await pack()
  npm = await realpath((await run('sh', ['-c', 'command -v npm'])).stdout.trim())
})

after(async () => {
  await rm(folder, { recursive: true, force: true })
  await discard()
})

for (const major of ['24', '26']) {
  test(`the package installs without a warning on Node ${major}, and demo, serve and doctor run`, async () => {
    const place = await mkdtemp(join(folder, `node-${major}-`))
    // The account of the database needs access; otherwise its data is stored elsewhere and stays there.
    for (const directory of [folder, place]) await chmod(directory, 0o755)
    await writeFile(join(place, 'package.json'), '{ "name": "till", "private": true }\n')
    await run('npm', ['install', '--no-audit', '--no-fund', `node@${major}`], { cwd: place })
    const node = await realpath(join(place, 'node_modules/node/bin/node'))
    const env = { PATH: [join(place, 'node_modules/.bin'), process.env['PATH']].join(delimiter) }
    const options = { cwd: place, env: { ...process.env, ...env, npm_config_update_notifier: 'false' } }
    // The npm of that Node is used, because npm warns if the Node that runs it is too old.
    const npmOf = (...args: string[]) => run(node, [npm, ...args], options)
    const spoken = ({ stderr }: { stderr: string }) => stderr.replace(/^npm warn Unknown .*\n/gm, '')
    assert.equal(spoken(await npmOf('install', '--ignore-scripts', '--no-audit', '--no-fund', packed)), '')
    const lock = JSON.parse(await readFile(join(place, 'package-lock.json'), 'utf8'))
    assert.ok(lock.packages['node_modules/tillgate'])
    assert.equal(spoken(await npmOf('ci', '--ignore-scripts', '--no-audit', '--no-fund')), '')
    await run('npm', ['rebuild', 'node'], { cwd: place })

    const npx = (...args: string[]) => ['--no', '--', 'tillgate', ...args]
    const program = { cwd: place, env }
    const { stdout: version } = await start('npx', npx('--version'), program).ended
    assert.equal(version, `${lock.packages['node_modules/tillgate'].version}\n`)
    const data = ['--data-dir', join(place, 'data')]
    const doctor = await start('npx', npx('doctor', ...data), program).ended
    assert.match(doctor.stdout, new RegExp(`ok +node +${major}\\.`))
    assert.match(doctor.stderr, /Ready\./)

    const served = start('npx', npx('serve', '--sample', '--port', '0', '--json', ...data), program)
    await eventually(() => served.written.stdout.includes('\n'), `serve listens: ${served.written.stderr}`)
    const { url, pid, key } = JSON.parse(served.written.stdout)
    const { status } = await fetch(`${url}/v1/orders/?size=1`, { headers: { 'x-api-key': key } })
    assert.equal(status, 200)
    process.kill(pid, 'SIGTERM')
    assert.equal((await served.ended).code, 0)

    // The command runs without npx, which does not pass on signals.
    const command = join(place, 'node_modules/.bin/tillgate')
    const demo = start(command, ['demo', '--port', '0', '--days', '1', '--data-dir', join(place, 'demo')], program)
    await eventually(() => /order\.\w+/.test(demo.written.stdout), 'the demo sells', 60_000)
    await stop(demo, 'SIGINT')
  })
}
