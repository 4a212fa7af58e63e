import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../core/contract/errors/errors.ts'

/** The output folder of the build, in a clone and in the package. */
const folder = join(import.meta.dirname, '../../../../dist/downloads')

/** The files under `/docs/downloads/`: what they are, and their paths in the sources, which documents link to. */
export const downloads = {
  'tillgate-client.tgz': { about: 'the client, for `npm install`', source: null },
  'tillgate-listen.mjs': { about: '`tillgate listen` in one file, for Node 22.15 or later', source: null },
  'tillgate-mcp.mjs': { about: 'an MCP server for language models as one file, for Node 20 or later', source: null },
  'sqlite-copy.js': { about: 'a copy in SQLite, with the client', source: 'client/examples/sqlite-copy.js' },
  'receiver.py': { about: 'receiver in Python', source: 'receivers/python/receiver.py' },
  'mail-the-day.py': { about: 'sends a business day by mail, in Python', source: 'receivers/python/mail-the-day.py' },
  'receiver.php': { about: 'receiver in PHP', source: 'receivers/php/receiver.php' },
  'receiver.go': { about: 'receiver in Go', source: 'receivers/go/receiver.go' },
  'Receiver.cs': { about: 'receiver in C#', source: 'receivers/csharp/Receiver.cs' },
} as const satisfies Record<string, { about: string; source: string | null }>

export type DownloadName = keyof typeof downloads

export const downloadNames = Object.keys(downloads) as DownloadName[]

/** Reads a download. Throws 404 in a clone in which the downloads have not been built yet. */
export async function readDownload(name: DownloadName): Promise<Buffer> {
  try {
    return await readFile(join(folder, name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const detail = `${name} does not exist yet: this server runs from the sources, and the first start with npm creates it; or run: npm run make -- downloads`
    throw new AppError('route_not_found', detail)
  }
}
