import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Names of the browser; the headless one takes a third less of the processor. */
const browsers = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

/** The installed browser, or undefined; `TILLGATE_TEST_CHROMIUM` names another. */
export function findChromium(): string | undefined {
  const { TILLGATE_TEST_CHROMIUM } = process.env
  const paths = [TILLGATE_TEST_CHROMIUM, ...browsers.map((name) => `/usr/bin/${name}`)]
  return paths.find((path) => path !== undefined && existsSync(path))
}

/** Builds the console as it is served, unless it exists; `npm run check -- console` builds the current sources. */
export function buildConsole({ anew = false } = {}): void {
  if (!anew && existsSync(join(root, 'dist/console/index.html'))) return
  execFileSync('npm', ['run', '-s', 'build', '-w', 'console'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}
