import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { Signal } from '../../../src/core/delivery/signal.ts'

/** Runs a test with timers and a clock that it advances itself. */
async function withTimers(work: (pass: (ms: number) => Promise<void>) => Promise<void>): Promise<void> {
  let nowMs = 0
  const now = mock.method(performance, 'now', () => nowMs)
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    await work(async (ms) => {
      nowMs += ms
      mock.timers.tick(ms)
      // Code resumed by a wake-up has run before the next step.
      for (let i = 0; i < 5; i += 1) await Promise.resolve()
    })
  } finally {
    mock.timers.reset()
    now.mock.restore()
  }
}

/** Counts the wake-ups of a caller that waits repeatedly. */
function waiter(signal: Signal): { woken: number } {
  const state = { woken: 0 }
  void (async () => {
    for (;;) {
      await signal.wait()
      state.woken += 1
    }
  })()
  return state
}

test('a wake-up before the wait is not lost', async () => {
  const signal = new Signal()
  signal.raise()
  await signal.wait()
})

test('the earliest timer counts, whichever was set first', () =>
  withTimers(async (pass) => {
    const signal = new Signal()
    const state = waiter(signal)
    signal.raiseWithin(20_000)
    signal.raiseWithin(100)
    signal.raiseWithin(5_000)
    await pass(99)
    assert.equal(state.woken, 0)
    await pass(1)
    assert.equal(state.woken, 1)
  }))

test('after the timer has fired the next one is set again', () =>
  withTimers(async (pass) => {
    const signal = new Signal()
    const state = waiter(signal)
    for (let n = 1; n <= 3; n += 1) {
      signal.raiseWithin(100)
      await pass(100)
      assert.equal(state.woken, n)
    }
  }))

test('a closed signal is not raised by its timer', () =>
  withTimers(async (pass) => {
    const signal = new Signal()
    const state = waiter(signal)
    signal.raiseWithin(100)
    signal.close()
    await pass(1_000)
    assert.equal(state.woken, 0)
  }))
