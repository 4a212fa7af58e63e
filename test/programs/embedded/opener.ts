// A minimal Tillgate process: opens the data directory in its first argument, prints one line of JSON, then obeys one
// word on standard input: "release", "stop", or the end of the input, after which it does nothing more.
import { openEmbeddedDatabase } from '../../../src/core/embedded/database.ts'

const [dataDir = '', machine = '{}'] = process.argv.slice(2)
try {
  const database = await openEmbeddedDatabase(dataDir, { machine: JSON.parse(machine) })
  const { started, pid, notices, connection } = database
  console.log(JSON.stringify({ started, pid, notices, connection }))
  process.stdin.setEncoding('utf8')
  for await (const word of process.stdin) {
    if (String(word).trim() === 'release') await database.release()
    else await database.stop()
    process.stdin.destroy()
  }
} catch (error) {
  console.log(JSON.stringify({ error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) }))
  process.exitCode = 1
}
