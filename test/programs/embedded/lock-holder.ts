// Takes the lock of its first argument again and again, until it is killed, and writes into the file of its second when a turn begins and ends.
import { appendFile } from 'node:fs/promises'
import { withLock } from '../../../src/core/embedded/lock.ts'

const [path = '', ledger = ''] = process.argv.slice(2)
for (;;) {
  await withLock(path, undefined, async () => {
    await appendFile(ledger, `in ${process.pid}\n`)
    await appendFile(ledger, `out ${process.pid}\n`)
  })
}
