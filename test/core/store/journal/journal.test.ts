import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { genesis } from '../../../../src/core/domain/journal/chain.ts'
import { transact } from '../../../../src/core/store/db/database.ts'
import {
  appendJournal,
  findHead,
  findSequenceAt,
  getHead,
  listJournal,
  newSalts,
} from '../../../../src/core/store/journal/journal.ts'
import { upsertOrders } from '../../../../src/core/contract/orders/rows.ts'
import { findOrders } from '../../../../src/core/contract/orders/rows.ts'
import { takeHead } from '../../../../src/core/store/journal/resumption.ts'
import { at, newLocation, orderRow } from '../stored-rows.ts'
import { createDatabase, everyServer } from '../../../support/database.ts'
import { storeOrders } from '../../../support/orders.ts'
import { idOf } from '../../../support/records.ts'

const databases = await Promise.all((await everyServer()).map((server) => createDatabase({ server })))

test('no salt is used twice, whether few or many are requested', () => {
  const salts = [1, 1, 300, 2, 0, 700, 1, 255, 256, 257].flatMap((count) => {
    const some = newSalts(count)
    assert.equal(some.length, count)
    return some
  })
  assert.equal(new Set(salts).size, salts.length)
  assert.deepEqual(
    salts.filter((salt) => !/^[0-9a-f]{32}$/.test(salt)),
    [],
  )
})

for (const { server, pool } of databases) {
  describe(`on the ${server} server`, () => {
    test('an order without a journal entry is refused', async () => {
      const locationId = await newLocation(pool)
      // Citus copies the rows to their shard, and reports a failure only by its message.
      const refused = (error: unknown) => {
        const { code, message } = error as { code?: string; message: string }
        return code === '23502' || (code === 'XX000' && message.startsWith('null value in column'))
      }
      await assert.rejects(upsertOrders(pool, locationId, [orderRow(1)]), refused)
      assert.equal((await findOrders(pool, locationId, [orderRow(1).id])).size, 0)
      assert.deepEqual(await listJournal(pool, locationId, 0, 10), [])
    })

    test('a transaction that assigns a sequence a second time is retried from its start', async () => {
      const locationId = await newLocation(pool)
      await storeOrders(pool, locationId, [orderRow(1)])
      const { epoch } = await getHead(pool, locationId)
      const [entry] = await listJournal(pool, locationId, 0, 1)
      assert.ok(entry)
      let attempts = 0
      await transact(pool, (tx) => {
        const seq = entry.seq + attempts++
        return appendJournal(tx, locationId, [{ ...entry, locationId, epoch, seq }])
      })
      assert.equal(attempts, 2)
      assert.equal((await listJournal(pool, locationId, 0, 10)).length, 2)
    })

    test('the journal is read in order, and its head is the last entry', async () => {
      const locationId = await newLocation(pool)
      const { epoch } = await getHead(pool, locationId)
      const entries = Array.from({ length: 130 }, (_, i) => ({
        locationId,
        epoch,
        seq: i + 1,
        acceptedAt: at.toISOString(),
        kind: 'order',
        id: idOf('order', i),
        prevSeq: i === 0 ? null : i,
        types: i % 2 === 0 ? ['order.created', 'order.paid'] : [],
        document: `{"i":${i}.0}`,
        salt: String(i).padStart(32, '0'),
        commitment: String(i).padStart(64, '1'),
        hash: String(i).padStart(64, '0'),
      }))
      await transact(pool, async (tx) => {
        assert.deepEqual(await takeHead(tx, locationId, { now: at }), {
          epoch,
          seq: 0,
          hash: genesis,
          acceptedAt: null,
          erasures: null,
        })
        await appendJournal(tx, locationId, entries)
      })
      const pages = [
        ...(await listJournal(pool, locationId, 0, 100)),
        ...(await listJournal(pool, locationId, 100, 100)),
      ]
      assert.deepEqual(
        pages.map((entry) => ({ ...entry })),
        entries,
      )
      const head = { epoch, seq: 130, hash: entries[129]?.hash, acceptedAt: at.toISOString() }
      assert.deepEqual(await findHead(pool, locationId), head)
      await appendJournal(pool, locationId, [])
      assert.equal((await findHead(pool, locationId))?.seq, 130)
    })

    test('the first entry accepted at or after a time is found, also with equal times and gaps', async () => {
      const locationId = await newLocation(pool)
      const { epoch } = await getHead(pool, locationId)
      const secondOf: [seq: number, second: number][] = [
        [1, 1],
        [2, 3],
        [3, 3],
        [4, 3],
        [2_000_000, 5],
        [2_000_001, 5],
        [2_000_002, 7],
      ]
      const moment = (second: number) => new Date(at.getTime() + second * 1000)
      const entry = { locationId, epoch, kind: 'order', id: idOf('order', 1), prevSeq: null, types: [], document: '{}' }
      const rest = { salt: 'a', commitment: 'b', hash: 'c' }
      assert.equal(await findSequenceAt(pool, locationId, moment(0)), 1)
      await appendJournal(
        pool,
        locationId,
        secondOf.map(([seq, second]) => ({ ...entry, ...rest, seq, acceptedAt: moment(second).toISOString() })),
      )
      for (let second = 0; second <= 8; second++) {
        const found = await findSequenceAt(pool, locationId, moment(second))
        const first = secondOf.find(([, accepted]) => accepted >= second)?.[0]
        // In a gap, any sequence is equivalent to the entry after the gap: reading from there returns the same.
        const read = await listJournal(pool, locationId, found - 1, 1)
        assert.equal(read[0]?.seq, first, `second ${second}`)
      }
    })

    test('writers of one location wait for each other, those of different locations do not', async () => {
      const [one, two] = [await newLocation(pool), await newLocation(pool)]
      const steps: string[] = []
      let release = () => {}
      const held = new Promise<void>((resolve) => (release = resolve))
      let locked = () => {}
      const isLocked = new Promise<void>((resolve) => (locked = resolve))
      const first = transact(pool, async (tx) => {
        await takeHead(tx, one, { now: at })
        locked()
        await held
        steps.push('first done')
      })
      await isLocked
      const second = transact(pool, async (tx) => {
        await takeHead(tx, one, { now: at })
        steps.push('second done')
      })
      await transact(pool, async (tx) => {
        await takeHead(tx, two, { now: at })
        steps.push('other done')
      })
      release()
      await Promise.all([first, second])
      assert.deepEqual(steps, ['other done', 'first done', 'second done'])
    })

    test('a transaction runs again after a deadlock, with correct sequences', async () => {
      const [one, two] = [await newLocation(pool), await newLocation(pool)]
      let waiting = 0
      let both = () => {}
      const bothLocked = new Promise<void>((resolve) => (both = resolve))
      const cross = (first: string, second: string) =>
        transact(pool, async (tx) => {
          await tx`update location_seq set last_seq = last_seq + 1 where location_id = ${first}`
          if (++waiting === 2) both()
          await bothLocked
          await tx`update location_seq set last_seq = last_seq + 1 where location_id = ${second}`
        })
      await Promise.all([cross(one, two), cross(two, one)])
      assert.deepEqual([(await findHead(pool, one))?.seq, (await findHead(pool, two))?.seq], [2, 2])
      assert.ok(waiting > 2, 'there was no deadlock to survive')
    })
  })
}
