import { commandGroups } from '../../../../src/core/cli/commands.ts'
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Command } from 'commander'
import { modules, type CommandEntry } from '../../../../src/core/modules.ts'
import { serve, start, stop, tillgate, toUrl } from '../../../support/cli.ts'
import { createDatabase } from '../../../support/database.ts'

const root = join(import.meta.dirname, '../../../..')
const unreachable = 'postgres://till:hunter2@127.0.0.1:1/pos'

/** Loads the files of each command name of `main.ts`. */
async function loadCommands(): Promise<[string, Awaited<ReturnType<CommandEntry['load']>>][]> {
  const commands = commandGroups(modules()).flatMap((group) => group.commands)
  return Promise.all(commands.map(async ({ name, load }) => [name, await load()] as const)).then((all) =>
    all.map(([name, command]) => [name, command]),
  )
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

describe('a mistake', { concurrency: 2 }, () => {
  const mistakes: [string, string[], RegExp][] = [
    ['an unknown command', ['srve'], /^error: unknown command 'srve' \(Did you mean serve\?\)\n$/],
    ['a command with no similar one', ['quux'], /^error: unknown command 'quux': see tillgate --help\n$/],
    ['help for an unknown command', ['help', 'quux'], /^error: unknown command 'quux': see tillgate --help\n$/],
    [
      'help for an unknown subcommand',
      ['key', 'make', '--help'],
      /^error: unknown command 'make': see tillgate key --help\n$/,
    ],
    [
      'a wrong word after a command with subcommands',
      ['console', 'quux'],
      /^error: unknown command 'quux': see tillgate console --help\n$/,
    ],
    ['an unknown subcommand', ['key', 'make'], /^error: unknown command 'make': see tillgate key --help\n$/],
    [
      'an option with no similar one',
      ['webhook', 'replay', '7', '--from', '1'],
      /^error: unknown option '--from': see tillgate webhook replay --help\n$/,
    ],
    ['an unknown option', ['verify', '--jsn'], /^error: unknown option '--jsn' \(Did you mean --json\?\)\n$/],
    [
      'a missing option',
      ['console', 'link', '--role', 'owner'],
      /^error: required option '--location <id\.\.\.>' not specified\n$/,
    ],
    ['a missing argument', ['import'], /^error: missing required argument 'file'\n$/],
    ['an argument too many', ['verify', 'now'], /^error: too many arguments/],
    ['an invalid id', ['verify', '--location', '7'], /^error: --location must be a UUID, not "7"\n$/],
  ]

  for (const [name, args, expected] of mistakes) {
    test(`in the arguments is one line and exit code 2: ${name}`, async () => {
      const { code, stdout, stderr } = await tillgate(args)
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, expected)
      assert.equal(stderr.split('\n').length, 2)
    })
  }

  test('with --json is one JSON object on stderr', async () => {
    const { code, stdout, stderr } = await tillgate(['verify', '--jsno', '--json'])
    assert.deepEqual([code, stdout], [2, ''])
    const { error } = JSON.parse(stderr)
    assert.deepEqual(Object.keys(error), ['code', 'message'])
    assert.equal(error.code, 'usage')
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
    const quiet = await tillgate(['key', 'list'], { env: { DATABASE_URL: unreachable } })
    assert.equal(quiet.code, 2)
    assert.match(
      quiet.stderr,
      /^error: the database postgres:\/\/till:\*\*\*@127\.0\.0\.1:1\/pos cannot be reached: .+\n$/,
    )
    const loud = await tillgate(['key', 'list'], { env: { DATABASE_URL: unreachable, TILLGATE_DEBUG: '1' } })
    assert.match(loud.stderr, /\n +at /)
    assert.doesNotMatch(quiet.stderr + loud.stderr, /hunter2/)
  })

  test('in the data directory is reported by the embedded database', async () => {
    const { code, stderr } = await tillgate(['migrate', '--json', '--data-dir', join(root, 'package.json')])
    assert.equal(code, 2)
    const { error } = JSON.parse(stderr)
    assert.equal(error.code, 'embedded_database')
    assert.match(error.message, /is a file/)
  })
})
