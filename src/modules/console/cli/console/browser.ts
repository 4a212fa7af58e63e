import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { makeScratchFolder, removeScratch, temporary } from '../../../../core/cli/terminal/scratch.ts'

/** Time in which a starting browser reads the page, in milliseconds. */
const readWithinMs = 5_000

function opener(): [program: string, ...args: string[]] {
  if (process.platform === 'darwin') return ['open']
  return process.platform === 'win32' ? ['explorer.exe'] : ['xdg-open']
}

/**
 * Opens a secret link. Other accounts on the machine can see the arguments of a program. So the browser opens a page
 * that redirects to the link and that only this account can read. Does nothing if no browser can be started.
 */
export async function openBrowser(url: string): Promise<void> {
  const folder = makeScratchFolder(temporary('console'))
  try {
    const file = join(folder, 'open.html')
    const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}"><title>Tillgate</title>`
    await writeFile(file, page, { mode: 0o600, flag: 'wx' })
    const [program, ...args] = opener()
    const child = spawn(program, [...args, file], { stdio: 'ignore', detached: true })
    const failed = new Promise((resolve) => child.once('error', resolve))
    child.unref()
    await Promise.race([failed, delay(readWithinMs)])
  } finally {
    await removeScratch(folder)
  }
}
