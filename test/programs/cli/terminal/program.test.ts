import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Command } from 'commander'
import { commandGroups } from '../../../../src/core/cli/commands.ts'
import { readDate } from '../../../../src/core/cli/terminal/options.ts'
import { unknownVariables } from '../../../../src/core/cli/terminal/variables.ts'
import { settingNames, settings } from '../../../../src/core/config.ts'
import { readRange, type RangeFault } from '../../../../src/core/domain/days/day-ranges.ts'
import { modules, type CommandEntry } from '../../../../src/core/modules.ts'
import { addLocation } from '../../../support/app.ts'
import { commandsOn, createDataDir, main, serve, start, stop, tillgate, toUrl } from '../../../support/cli.ts'
import { createDatabase } from '../../../support/database.ts'

const root = join(import.meta.dirname, '../../../..')
const unreachable = 'postgres://till:hunter2@127.0.0.1:1/pos'
const { run, refuses } = commandsOn({ env: { DATABASE_URL: unreachable } })

/** Loads the files of each command name of `main.ts`. */
async function loadCommands(): Promise<[string, Awaited<ReturnType<CommandEntry['load']>>][]> {
  const commands = commandGroups(modules()).flatMap((group) => group.commands)
  return Promise.all(commands.map(async ({ name, load }) => [name, await load()]))
}

function leaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
}

describe('every command', () => {
  test('has --json, and a --help with a description and examples', async () => {
    const commands = await loadCommands()
    assert.ok(commands.length >= 9, `only ${commands.length} commands found in main.ts`)
    for (const [name, { define }] of commands) {
      const command = new Command(name).summary(name)
      await define(command)
      for (const leaf of leaves(command)) {
        let help = ''
        leaf.configureOutput({ writeOut: (text) => (help += text) })
        leaf.outputHelp()
        const called = leaf === command ? name : `${name} ${leaf.name()}`
        assert.match(help, /^ +--json /m, called)
        assert.ok(leaf.description().length > 10, called)
        assert.match(help, new RegExp(`Examples:\n  tillgate ${called}`), called)
      }
    }
  })

  test('is listed by --help', async () => {
    const { code, stdout, stderr } = await tillgate(['--help'])
    assert.deepEqual([code, stderr], [0, ''])
    for (const [name] of await loadCommands()) assert.match(stdout, new RegExp(`^  ${name} `, 'm'))
  })

  test('has a help of at most 80 columns, except for the commands in its examples', async () => {
    for (const args of [['serve'], ['import'], ['source', 'check'], ['source', 'run'], ['restore']]) {
      const { stdout } = await tillgate([...args, '--help'])
      const wide = stdout
        .split('\n')
        .filter((line) => line.length > 80 && !/^ +(tillgate|\w+=\S+ tillgate) /.test(line))
      assert.deepEqual(wide, [], args.join(' '))
    }
  })

  test('has the same help as help <command>', async () => {
    const [one, other] = await Promise.all([tillgate(['help', 'verify']), tillgate(['verify', '--help'])])
    assert.equal(one.code, 0)
    assert.deepEqual(one, other)
  })

  test('runs as npm run -s tillgate -- <command>', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
    const { code, stdout } = await start('npm', ['run', '-s', 'tillgate', '--', '--version']).ended
    assert.deepEqual([code, stdout], [0, `${version}\n`])
  })

  test('runs from the sources, without the joined files of the tests', async () => {
    const { connection } = await createDatabase()
    const served = await serve([], { env: { DATABASE_URL: toUrl(connection), NODE_OPTIONS: '' } })
    assert.equal((await fetch(`${served.url}/readyz`)).status, 200)
    const { code, stderr } = await stop(served)
    assert.equal(code, 0, stderr)
  })
})

test('a command on a database ends by itself as a process, with the same result as in the process of a test', async () => {
  const { connection, pool } = await createDatabase()
  const env = { DATABASE_URL: toUrl(connection) }
  const location = await addLocation(pool)
  const march = '--since 2026-03-01 --until 2026-03-31'
  const ofLocation = [
    'access',
    `books status ${march}`,
    'checkpoint latest',
    'year list',
    'webhook list',
    'rejected list',
  ]
  const ofAll = ['location list', 'key list', 'source list', 'loss list', 'console sessions', 'migrate', 'verify']
  const commands = [...ofLocation, 'warnings list', `redact --operator ${location}`]
    .map((command) => `${command} --location ${location}`)
    .concat(ofAll, 'simulate --from 2026-03-06 --to 2026-03-06 --orders-per-day 2', 'export')
  for (const command of commands) {
    const words = command.split(' ')
    const { code, stdout, stderr } = await start(process.execPath, [main, ...words], { env }).ended
    const inside = await tillgate(words, { env })
    assert.deepEqual([inside.code, inside.stdout, inside.stderr], [code, stdout, stderr], command)
  }
})

describe('a mistake', () => {
  const seeHelp = (command: string) => new RegExp(`^error: unknown command '\\w+': see tillgate ${command}--help\n$`)
  const mistakes: [string, RegExp][] = [
    ['srve', /^error: unknown command 'srve' \(Did you mean serve\?\)\n$/],
    ['quux', seeHelp('')],
    ['help quux', seeHelp('')],
    ['key make --help', seeHelp('key ')],
    ['console quux', seeHelp('console ')],
    ['key make', seeHelp('key ')],
    ['webhook replay 7 --from 1', /^error: unknown option '--from': see tillgate webhook replay --help\n$/],
    ['verify --jsn', /^error: unknown option '--jsn' \(Did you mean --json\?\)\n$/],
    ['console link --role owner', /^error: required option '--location <id\.\.\.>' not specified\n$/],
    ['import', /^error: missing required argument 'file'\n$/],
    ['verify now', /^error: too many arguments/],
    ['verify --location 7', /^error: --location must be a UUID, not "7"\n$/],
    [
      'day --location 0a0a0a0a-0000-4000-8000-000000000001 --date 2026-11-31',
      /the date 2026-11-31 of --date does not exist/,
    ],
  ]

  for (const [command, expected] of mistakes) {
    test(`in the arguments is one line and exit code 2: ${command}`, async () => {
      const { stdout, stderr } = await refuses(expected)`${command.split(' ')}`
      assert.deepEqual([stdout, stderr.split('\n').length], ['', 2])
    })
  }

  test('with --json is one JSON object on stderr', async () => {
    const { stdout, stderr } = await run`verify --jsno --json`
    const { error } = JSON.parse(stderr)
    assert.deepEqual([stdout, Object.keys(error), error.code], ['', ['code', 'message'], 'usage'])
  })

  test('in the settings is reported with all others, a line each', async () => {
    const env = { TILLGATE_RATE_BURST: '0', DATABASE_URL: 'db' }
    const { code, stderr } = await tillgate(['serve', '--port', 'http', '--processes', '0'], { env })
    assert.equal(code, 2)
    assert.deepEqual(stderr.trimEnd().split('\n'), [
      'error: DATABASE_URL must be a URL that begins with postgres://',
      'error: --port must be a whole number from 0 to 65535, not "http"',
      'error: TILLGATE_RATE_BURST must be a whole number from 1 to 1000000, not "0"',
      'error: --processes must be a whole number from 1 to 40, not "0"',
    ])
  })

  test('in the environment has no stack trace unless TILLGATE_DEBUG=1, and never a password', async () => {
    const gone = /^error: the database postgres:\/\/till:\*\*\*@127\.0\.0\.1:1\/pos cannot be reached: .+\n$/
    const quiet = await refuses(gone)`key list`
    const loud = await tillgate(['key', 'list'], { env: { DATABASE_URL: unreachable, TILLGATE_DEBUG: '1' } })
    assert.match(loud.stderr, /\n +at /)
    assert.doesNotMatch(quiet.stderr + loud.stderr, /hunter2/)
  })

  test('in the data directory is reported by the embedded database', async () => {
    const { code, stderr } = await tillgate(['migrate', '--json', '--data-dir', join(root, 'package.json')])
    const { error } = JSON.parse(stderr)
    assert.deepEqual([code, error.code], [2, 'embedded_database'])
    assert.match(error.message, /is a file/)
  })

  test('in the directory, which has no database, is reported, and none is created', async () => {
    const dataDir = join(await createDataDir(), 'data')
    const location = ['--location', '272461e9-4fd9-5db0-b95b-cc91735b6bf6']
    const commands = ['key list', 'location list', 'export', 'verify', 'migrate', 'rejected list', 'webhook list']
    for (const command of commands) {
      const flags = /rejected|webhook/.test(command) ? location : []
      const { code, stdout, stderr } = await tillgate([
        ...command.split(' '),
        ...flags,
        '--data-dir',
        dataDir,
        '--json',
      ])
      const { error } = JSON.parse(stderr) as { error: { code: string; message: string } }
      assert.deepEqual([code, stdout, error.code], [2, '', 'database_missing'], command)
      assert.match(error.message, new RegExp(`no database in ${dataDir}: set --data-dir or DATABASE_URL`))
    }
    assert.ok(!existsSync(dataDir))
  })

  test('in a date is reported with the date and its format', () => {
    for (const text of ['2026-11-30', '2024-02-29']) assert.equal(readDate('--date', text), text)
    for (const text of ['2026-11-31', '2025-02-29', '2026-13-01', '2026-00-10'])
      assert.throws(() => readDate('--date', text), { message: `the date ${text} of --date does not exist` })
    for (const text of ['', 'today', '31.11.2026', '2026-3-1', '20260301', '2026-11-31 '])
      assert.throws(() => readDate('--date', text), {
        message: `--date must be a date such as 2026-03-31, not ${JSON.stringify(text)}`,
      })
    for (const text of ['20260301T120000Z', '2026-03-01T12', '2026-02-30'])
      assert.equal(
        (readRange(text, undefined) as RangeFault[])[0]?.detail,
        'since must be a valid date (YYYY-MM-DD) or ISO 8601 datetime with hyphens and colons, such as 2026-03-01T12:00:00Z',
      )
  })
})

describe('an unknown variable', () => {
  test('is named, with the probably meant one', async () => {
    const variables = {
      TILLGATE_PROT: '80',
      TILLGATE_PUBLICURL: 'x',
      TILLGATE_COLOUR: 'red',
      TILLGATE_URL: 'x',
      PATH: '/',
    }
    assert.deepEqual(await unknownVariables(variables), [
      'TILLGATE_COLOUR is not a setting of Tillgate and has no effect',
      'TILLGATE_PROT is not a setting of Tillgate and has no effect; did you mean TILLGATE_PORT?',
      'TILLGATE_PUBLICURL is not a setting of Tillgate and has no effect; did you mean TILLGATE_PUBLIC_URL?',
      'TILLGATE_URL is read by receivers and the MCP server, not by this program: use --url',
    ])
  })

  test('is neither a setting, nor a variable that Kubernetes sets for a service of that name', async () => {
    const linked = ['SERVICE_HOST', 'SERVICE_PORT_HTTP', 'PORT_4747_TCP_ADDR', 'PORT', 'KEY', 'DEBUG']
    const names = [...settingNames.map((name) => settings[name].env), ...linked.map((name) => `TILLGATE_${name}`)]
    assert.deepEqual(await unknownVariables(Object.fromEntries(names.map((name) => [name, 'x']))), [])
  })

  test('is a warning on stderr, and the command continues; its help does not warn', async () => {
    const misspelled = commandsOn({ env: { TILLGATE_DATA_DRI: '/nowhere', DATABASE_URL: unreachable } })
    const { stdout, stderr } = await misspelled.run`doctor --json`
    assert.match(stderr, /^warning: TILLGATE_DATA_DRI is not a setting .*; did you mean TILLGATE_DATA_DIR\?\n/)
    assert.ok(stdout.length > 0)
    const help = await misspelled.run`doctor --help`
    assert.deepEqual([help.code, help.stderr], [0, ''])
  })
})
