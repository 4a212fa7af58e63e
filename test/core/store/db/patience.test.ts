import assert from 'node:assert/strict'
import { once, EventEmitter } from 'node:events'
import { describe, test } from 'node:test'
import { Patience } from '../../../../src/core/store/db/patience.ts'

describe('an operation that waits too long for the database', () => {
  test('is reported once, in order of its start, unless it has ended', async () => {
    const reported: number[] = []
    const events = new EventEmitter()
    const patience = new Patience<number>(20, (late) => {
      reported.push(late)
      if (late === 299) events.emit('last')
    })
    const last = once(events, 'last')
    const waiting = Array.from({ length: 300 }, (_, number) => patience.begin(number))
    for (const [number, one] of waiting.entries()) if (number % 100 !== 0 && number !== 299) patience.end(one)
    // A repeated call has no effect, so the counts of finished work stay correct.
    for (const one of waiting.slice(1, 100)) patience.end(one)
    await last
    assert.deepEqual(reported, [0, 100, 200, 299])
  })

  test('is not reported after a reset; later ones are', async () => {
    const events = new EventEmitter()
    const reported: string[] = []
    const patience = new Patience<string>(20, (late) => {
      reported.push(late)
      events.emit('reported')
    })
    const former = patience.begin('former')
    patience.clear()
    const heard = once(events, 'reported')
    patience.begin('new')
    patience.end(former)
    await heard
    assert.deepEqual(reported, ['new'])
  })
})
