import { buildConsole, findChromium } from '../support/console-build.ts'
import { globalSetup as startServers, globalTeardown } from '../global-setup.ts'

/** Builds the console once, before the files of tests that run side by side, and starts what every test has. */
export async function globalSetup(): Promise<void> {
  if (findChromium() !== undefined) buildConsole({ anew: true })
  await startServers()
}

export { globalTeardown }
