import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Program names of the browser, the preferred one first: the headless browser takes a third less processor time. */
const browsers = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

/** Returns the path of the installed browser, or undefined; `TILLGATE_TEST_CHROMIUM` names another one. */
export function findChromium(): string | undefined {
  const { TILLGATE_TEST_CHROMIUM } = process.env
  const paths = [TILLGATE_TEST_CHROMIUM, ...browsers.map((name) => `/usr/bin/${name}`)]
  return paths.find((path) => path !== undefined && existsSync(path))
}

/** Builds the console as it is served if no build exists; with `rebuild` (`npm run check -- console`), always. */
export function buildConsole({ rebuild = false } = {}): void {
  if (!rebuild && existsSync(join(root, 'dist/console/index.html'))) return
  execFileSync('npm', ['run', '-s', 'build', '-w', 'console'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}
