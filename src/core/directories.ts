import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

async function makeOne(path: string, mode: number): Promise<Error | undefined> {
  const failure = await mkdir(path, { mode }).then(
    () => undefined,
    (error: Error) => error,
  )
  return failure && (await isDirectory(path)) ? undefined : failure
}

/**
 * Makes a directory and its missing parents; an existing directory stays unchanged. Throws the error of `mkdir`. Node's
 * recursive `mkdir` never ends on a file system such as `/proc`, which does not allow new names.
 */
export async function makeDirectory(path: string, mode = 0o777): Promise<void> {
  const failure = await makeOne(path, mode)
  if (failure === undefined) return
  if ((failure as NodeJS.ErrnoException).code !== 'ENOENT' || (await isDirectory(dirname(path)))) throw failure
  await makeDirectory(dirname(path), mode)
  const again = await makeOne(path, mode)
  if (again !== undefined) throw again
}
