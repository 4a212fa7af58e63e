import { buildConsole, findChromium } from '../support/console-build.ts'
import { globalSetup as startServers, globalTeardown } from '../global-setup.ts'

/** Builds the console once, before the test files run in parallel, and starts what all tests share. */
export async function globalSetup(): Promise<void> {
  if (findChromium() !== undefined) buildConsole({ rebuild: true })
  await startServers()
}

export { globalTeardown }
