import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { Hints } from '../../../../src/core/store/db/hints.ts'
import { atEnd, createDatabase } from '../../../support/database.ts'
import { eventually } from '../../../support/waiting.ts'

const { pool } = await createDatabase()

/** Opens the hints of a process, and collects those that it receives. */
async function openHints() {
  const hints = new Hints(pool)
  const received: string[] = []
  hints.subscribe({ committed: (id) => received.push(id), changed: (id) => received.push(`changed ${id}`) })
  await hints.listen()
  atEnd(() => hints.close())
  return { hints, received }
}

const [one, other] = [await openHints(), await openHints()]

test('a hint arrives once in its own process, at once, and once in each other', async () => {
  const [location, webhook] = [randomUUID(), randomUUID()]
  const expected = [location, `changed ${webhook}`]
  one.hints.committed(location)
  one.hints.changed(webhook)
  assert.deepEqual(one.received, expected)
  await eventually(() => other.received.length === 2, 'the other process is notified')
  assert.deepEqual(other.received, expected)
  // NOTIFY keeps the order, so the notifications of the first two arrived before this one.
  const later = randomUUID()
  other.hints.committed(later)
  await eventually(() => one.received.includes(later), 'the process is notified of a later one')
  assert.deepEqual(one.received, [...expected, later])
})
