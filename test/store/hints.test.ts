import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Hints } from '../../src/store/hints.ts'
import { atEnd, createDatabase } from '../support/database.ts'
import { eventually } from '../support/waiting.ts'

const { pool } = await createDatabase()

/** As a process has them, with what it was told. */
async function openHints() {
  const hints = new Hints(pool)
  const told: string[] = []
  hints.subscribe({ committed: (id) => told.push(id), changed: (id) => told.push(`changed ${id}`) })
  await hints.listen()
  atEnd(() => hints.close())
  return { hints, told }
}

const [one, other] = [await openHints(), await openHints()]

test('a hint is told once in its own process, at once, and once in each other', async () => {
  const [location, webhook] = [randomUUID(), randomUUID()]
  const expected = [location, `changed ${webhook}`]
  one.hints.committed(location)
  one.hints.changed(webhook)
  assert.deepEqual(one.told, expected)
  await eventually(() => other.told.length === 2, 'the other process is told')
  // What NOTIFY brought the other one it has brought this one by now too.
  await delay(50)
  assert.deepEqual(one.told, expected)
  assert.deepEqual(other.told, expected)
})
