// Takes the lock in its first argument again and again, until it is killed. Writes a line when it takes the lock, and
// one when it releases it, into the file in its second argument.
import { appendFile } from 'node:fs/promises'
import { withLock } from '../../../src/core/embedded/lock.ts'

const [path = '', ledger = ''] = process.argv.slice(2)
for (;;) {
  await withLock(path, undefined, async () => {
    await appendFile(ledger, `in ${process.pid}\n`)
    await appendFile(ledger, `out ${process.pid}\n`)
  })
}
