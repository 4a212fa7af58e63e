import { join } from 'node:path'
import { announceTemplate } from './support/data-template.ts'
import { announceServers } from './support/database.ts'
import { joinPackages } from './support/joined-packages.ts'
import { joinProgram } from './support/joined-program.ts'
import { startServers, type Servers } from './support/test-servers.ts'

let servers: Servers | undefined

/**
 * Starts the database servers once for all test files (`node --test --test-global-setup=test/global-setup.ts`). The
 * files are processes that load the same modules: they share a compile cache, which halves the start time of each.
 * Packages with many modules are bundled into a few files, and so is the program for the processes that the tests
 * start.
 */
export async function globalSetup(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/compiled')
  const joined = (await Promise.all([joinPackages(), joinProgram()])).map((url) => `--import="${url}"`)
  process.env['NODE_OPTIONS'] = [process.env['NODE_OPTIONS'] ?? '', ...joined].join(' ').trim()
  await announceTemplate()
  servers = await startServers({ alone: false })
  announceServers(servers)
}

export async function globalTeardown(): Promise<void> {
  await servers?.stop()
}
