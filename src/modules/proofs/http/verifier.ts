import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { plainPagePolicy } from '../../../core/http/answers/headers.ts'

/** The folder of the verifier, in a clone and in the package. */
const folder = join(import.meta.dirname, '../../../../docs/verify')

export const readVerifierScript = (): Promise<string> => readFile(join(folder, 'verify.mjs'), 'utf8')

/** The part of the script for the command line alone. */
const ofCommandLine = /^async function main[\s\S]*$/m

async function makePage(): Promise<string> {
  const [page, script] = await Promise.all([readFile(join(folder, 'verify.html'), 'utf8'), readVerifierScript()])
  const core = script.replace(ofCommandLine, '').replaceAll(/^export /gm, '')
  return page.replace('/* verify.mjs */', () => core.trim())
}

let made: Promise<string> | undefined

/** Returns the page that verifies a proof: one file that includes the script, and works from disk. */
export const verifierPage = (): Promise<string> => (made ??= makePage())

const between = (text: string, from: string, to: string) =>
  text.slice(text.indexOf(from) + from.length, text.indexOf(to))

/** Makes the policy of the verifier page: only its own script and style, and no requests to any address. */
export const verifierPolicy = (page: string): Record<string, string> =>
  plainPagePolicy(between(page, '<style>', '</style>'), between(page, '<script type="module">', '</script>'))
