import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { atEnd } from '../../support/database.ts'

type Command = [program: string, ...args: string[]]

export type Language = {
  name: string
  needs: Command
  /** Builds a program if the language has a compiler. */
  build?: Command
  conformance: Command
  serve(port: number): Command
  run(command: string): Command
}

const folder = join(import.meta.dirname, '../../../receivers')
export const work = await mkdtemp(join(tmpdir(), 'tillgate-receivers-'))
atEnd(() => rm(work, { recursive: true, force: true }))

const source = (language: string, ...files: string[]) => files.map((file) => join(folder, language, file))
const goProgram = join(work, 'receiver')
const netProgram = join(work, 'receiver.exe')

function scripted(name: string, program: string, extension: string): Language {
  const [file = '', conformance = ''] = source(name, `receiver.${extension}`, `conformance.${extension}`)
  return {
    name,
    needs: [program, '--version'],
    conformance: [program, conformance],
    serve: () => [program, file, 'serve'],
    run: (command) => [program, file, command],
  }
}

function compiled(name: string, needs: Command, build: Command, program: Command): Language {
  return {
    name,
    needs,
    build,
    conformance: [...program, 'conformance'],
    serve: () => [...program, 'serve'],
    run: (command) => [...program, command],
  }
}

export const languages: Language[] = [
  scripted('python', 'python3', 'py'),
  {
    ...scripted('php', 'php', 'php'),
    serve: (port) => ['php', '-S', `127.0.0.1:${port}`, ...source('php', 'receiver.php')],
  },
  compiled(
    'go',
    ['go', 'version'],
    ['go', 'build', '-o', goProgram, ...source('go', 'receiver.go', 'conformance.go')],
    [goProgram],
  ),
  compiled(
    'csharp',
    ['mcs', '--version'],
    [
      'mcs',
      `-out:${netProgram}`,
      '-main:Conformance',
      '-r:System.Net.Http',
      ...source('csharp', 'Receiver.cs', 'Conformance.cs'),
    ],
    ['mono', netProgram],
  ),
]

export type Ended = { status: number | null; stdout: string; stderr: string }

/** Runs a command to its end, against the server of the test. */
export async function end([program, ...args]: Command, env: NodeJS.ProcessEnv = {}, input = ''): Promise<Ended> {
  const child = spawn(program, args, { cwd: work, env: { ...process.env, ...env } })
  // A command that reads nothing closes the pipe.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { status: status as number | null, stdout, stderr }
}

export async function run(command: Command, env?: NodeJS.ProcessEnv, input?: string): Promise<string> {
  const { status, stdout, stderr } = await end(command, env, input)
  assert.equal(status, 0, `${command.join(' ')}: ${stderr}`)
  return stdout
}
