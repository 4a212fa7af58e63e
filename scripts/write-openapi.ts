import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { buildApp } from '../src/app.ts'
import { readVersion } from '../src/server/version.ts'
import { createSender } from '../src/delivery/sender/send.ts'
import { KeyRing } from '../src/http/key-ring.ts'
import { Writer } from '../src/ingest/writer.ts'
import { openPool } from '../src/store/database.ts'
import { DayCountCache } from '../src/store/day-counts.ts'
import { Hints } from '../src/store/hints.ts'
import { Reader } from '../src/store/reader/reader.ts'

/** The document as the running application answers it. The pool never connects: nothing is asked. */
export async function generateOpenapi(): Promise<string> {
  const clock = () => new Date(0)
  const pool = openPool({ url: 'postgres://nobody@127.0.0.1:1/none' }, { connections: 1, pipelining: true })
  const sender = createSender({ allowHttp: false, allowAddresses: [] })
  const context = {
    pool,
    reader: new Reader(pool, 0, true),
    dayCounts: new DayCountCache(),
    writer: new Writer(pool, clock),
    keys: new KeyRing(pool, clock),
    limiter: null,
    hints: new Hints(pool),
    sender,
    endpointPolicy: { allowHttp: false, allowAddresses: [] },
    closing: new AbortController().signal,
    clock,
    startedAt: clock(),
    publicUrl: null,
    operations: true,
  }
  const app = await buildApp(context, { version: readVersion(), logger: false, trustProxy: false })
  try {
    const answer = await app.inject({ url: '/openapi.json' })
    return `${JSON.stringify(answer.json(), null, 2)}\n`
  } finally {
    await app.close()
    await sender.close()
    await pool.end()
  }
}

if (import.meta.main) await writeFile(resolve(import.meta.dirname, '../openapi.json'), await generateOpenapi())
