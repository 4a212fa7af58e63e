// Checks openapi.json with tools of other projects: linters without warnings, generated code that compiles, the Bruno
// folder and the Arazzo workflows against a running server. The tools are in descriptions/.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { withSample, type Sample } from './sample-server.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'descriptions')
const lock = join(folder, 'package-lock.json')
const stamp = join(folder, 'node_modules/.lockstamp')

function run(what: string, program: string, args: readonly string[], cwd = folder): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  })
  if (status !== 0) throw new Error(`${what}: ${stdout}${stderr}`)
  console.log(`ok  ${what}`)
  return stdout
}

const tool = (what: string, name: string, args: readonly string[], cwd?: string) =>
  run(what, join(folder, 'node_modules/.bin', name), args, cwd)

function install(): void {
  const isFresh = existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(lock, 'utf8')
  if (isFresh) return
  run('tools are installed', 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'])
  cpSync(lock, stamp)
}

async function useServer({ url, key }: Sample): Promise<void> {
  const answer = await fetch(`${url}/v1/events/?limit=1`, { headers: { 'x-api-key': key } })
  const { meta } = (await answer.json()) as { meta: { epoch: string } }
  const input = JSON.stringify({ key, after: 1, epoch: meta.epoch })
  tool('the Arazzo workflows run', 'redocly', [
    'respect',
    'tillgate.arazzo.yaml',
    '-S',
    `tillgate=${url}`,
    '--input',
    input,
  ])
  const variables = ['--env-var', `url=${url}`, '--env-var', `key=${key}`]
  tool('the Bruno folder passes', 'bru', ['run', ...variables], join(folder, 'bruno'))
}

function readOpenapi(): void {
  tool('Spectral has no warning', 'spectral', [
    'lint',
    '../openapi.json',
    '-r',
    'spectral.yaml',
    '--fail-severity',
    'hint',
  ])
  for (const file of ['../openapi.json', 'tillgate.arazzo.yaml']) {
    const found = tool(`Redocly reads ${file}`, 'redocly', [
      'lint',
      file,
      '--config',
      'redocly.yaml',
      '--format',
      'json',
    ])
    const { totals } = JSON.parse(found.slice(found.indexOf('{'))) as { totals: Record<string, number> }
    if (totals['errors'] !== 0 || totals['warnings'] !== 0) throw new Error(`Redocly warns of ${file}: ${found}`)
  }
}

function compileGenerated(): void {
  rmSync(join(folder, 'generated'), { recursive: true, force: true })
  tool('openapi-typescript', 'openapi-typescript', ['../openapi.json', '-o', 'generated/openapi-typescript.ts'])
  const heyApi = ['-i', '../openapi.json', '-o', 'generated/hey-api', '-c', '@hey-api/client-fetch']
  tool('hey-api', 'openapi-ts', heyApi)
  const asClasses = ['-o', 'generated', '-n', 'swagger-typescript-api.ts', '--enum-style', 'union']
  const options = ['generate', '-p', '../openapi.json', ...asClasses, '--extract-request-params', '--silent']
  tool('swagger-typescript-api', 'swagger-typescript-api', options)
  tool('what they made compiles, and is used as one would', 'tsc', ['-p', '.'])
}

install()
readOpenapi()
compileGenerated()
await withSample(useServer)
