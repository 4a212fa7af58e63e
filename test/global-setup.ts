import { announceServers } from './support/database.ts'
import { startServers, type Servers } from './support/test-servers.ts'

let servers: Servers | undefined

/** Starts the database servers once for all test files (`node --test --test-global-setup=test/global-setup.ts`). */
export async function globalSetup(): Promise<void> {
  servers = await startServers({ alone: false })
  announceServers(servers)
}

export async function globalTeardown(): Promise<void> {
  await servers?.stop()
}
