import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { buildApp } from '../src/core/app.ts'
import { readConfig } from '../src/core/config.ts'
import { contextSettings, openContext } from '../src/core/server/compose.ts'
import { loadServer } from '../src/core/modules.ts'
import { createLog } from '../src/core/server/log.ts'
import { readVersion } from '../src/core/server/version.ts'
import { openPool } from '../src/core/store/db/database.ts'

/** Resolves to the document from the running application. The pool does not connect, since no query is sent. */
export async function generateOpenapi(): Promise<string> {
  const pool = openPool({ url: 'postgres://nobody@127.0.0.1:1/none' }, { connections: 1, pipelining: true })
  await loadServer()
  const { context, close } = openContext(pool, readConfig(contextSettings, { publicUrl: 'https://pos.example' }, {}), {
    clock: () => new Date(0),
  })
  const app = await buildApp(context, { version: readVersion(), log: createLog('silent'), trustProxy: [] })
  try {
    const answer = await app.inject({ url: '/openapi.json' })
    return `${JSON.stringify(answer.json(), null, 2)}\n`
  } finally {
    await app.close()
    await close()
    await pool.end()
  }
}

if (import.meta.main) await writeFile(resolve(import.meta.dirname, '../openapi.json'), await generateOpenapi())
