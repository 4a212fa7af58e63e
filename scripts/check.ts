// Runs the checks that every change must pass, or one suite by its name: `npm run check -- console`. Further arguments
// are for the suite.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** The tests of `npm test`. */
export const quickTests = ['test/{core,modules,docs}/**/*.test.ts']

/** The tests of `npm run check:programs`. */
export const programTests = ['mcp/test/mcp.test.ts', 'test/programs/**/*.test.ts']

type Step = { command: readonly string[]; env?: Record<string, string> }

const node = (...args: string[]): Step => ({ command: [process.execPath, ...args] })
const npm = (name: string): Step => ({ command: ['npm', 'run', '-s', name] })

type Tests = { setup?: string; atOnce: number; timeoutMs?: number; env?: Record<string, string> }

/** Runs test files, each in its own process. */
function tests(files: readonly string[], { setup = 'test/global-setup.ts', atOnce, timeoutMs, env = {} }: Tests): Step {
  const preload = setup === 'test/programs/deploy/pack.ts' ? [] : ['--import=./test/support/preload.ts']
  const options = [
    '--test-force-exit',
    `--test-global-setup=${setup}`,
    `--test-concurrency=${atOnce}`,
    `--test-timeout=${timeoutMs ?? 300_000}`,
  ]
  return { ...node('--test', ...options, ...preload, ...files), env }
}

const suites: Record<string, { about: string; steps: readonly Step[] }> = {
  programs: {
    about: 'what runs as programs, backups and generated requests',
    steps: [node('scripts/run-tests.ts', ...programTests)],
  },
  core: {
    about: 'the contract, with no module on',
    steps: [tests(['test/core/conformance/*.test.ts'], { atOnce: 2, env: { TILLGATE_MODULES: 'none' } })],
  },
  console: {
    about: 'the console in a browser',
    steps: [tests(['test/browser/*.browser.ts'], { setup: 'test/browser/global-setup.ts', atOnce: 3 })],
  },
  hours: { about: 'the same with every clock set to hours of the day', steps: [node('scripts/check-console-at.ts')] },
  topologies: {
    about: 'poolers, a cluster, other versions of PostgreSQL',
    steps: [node('scripts/check-topologies.ts')],
  },
  deploy: {
    about: 'packages, image, manual, linters of deploy/ and .github/',
    steps: [
      tests(['test/programs/deploy/*.deploy.ts'], {
        setup: 'test/programs/deploy/pack.ts',
        atOnce: 1,
        timeoutMs: 600_000,
      }),
    ],
  },
  endurance: {
    about: 'processes killed at random, more generated cases',
    steps: [
      tests(
        [
          'test/**/*.endurance.ts',
          'test/programs/kill.test.ts',
          'test/programs/properties/*.test.ts',
          'test/modules/simulator/simulation.test.ts',
          'test/modules/figures/projections/{histories,late-tills}.test.ts',
        ],
        { atOnce: 1, env: { TILLGATE_KILL_ROUNDS: '12', TILLGATE_TEST_RUNS: '5' } },
      ),
    ],
  },
  descriptions: {
    about: 'what tools of others make of openapi.json',
    steps: [node('scripts/check-descriptions.ts')],
  },
  client: { about: 'the packed client in Node, Bun and Deno', steps: [node('scripts/check-client.ts')] },
  soak: {
    about: 'pushes and deliveries while parts are killed',
    steps: [node('--import=./src/modules/on.ts', 'scripts/soak.ts')],
  },
  matrix: {
    about: 'the faults of docs/operate/reliability.md',
    steps: [node('--import=./src/modules/on.ts', 'scripts/matrix.ts')],
  },
}

export const suiteNames = Object.keys(suites)

const usual = ['types', 'lint', 'format:check', 'dead', 'test'].map(npm)

function run({ command, env }: Step, more: readonly string[]): number {
  const [program = '', ...args] = command
  const { status } = spawnSync(program, [...args, ...more], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  return status ?? 1
}

if (import.meta.main) {
  const [name, ...more] = process.argv.slice(2)
  const steps = name === undefined ? usual : suites[name]?.steps
  if (steps === undefined) {
    const list = Object.entries(suites).map(([suite, { about }]) => `  ${suite.padEnd(13)} ${about}`)
    process.stderr.write(
      `error: there is no suite ${name}\n\nnpm run check -- <suite> runs one of these:\n${list.join('\n')}\n`,
    )
    process.exitCode = 2
  } else
    for (const step of steps) {
      process.exitCode = run(step, more)
      if (process.exitCode !== 0) break
    }
}
