import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Arrivals, BodyCrumbled } from '../../src/http/arrivals.ts'

const waitMs = 60_000

/** Lets everything happen that needs no turn of the event loop. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise<void>((resolve) => process.nextTick(resolve))
}

describe('what arrives of a body', () => {
  test('is read a turn after it came, never while its socket is still being read from', async () => {
    const body = new PassThrough()
    const arrivals = new Arrivals(body)
    let got: Buffer | null | undefined
    void arrivals.next(waitMs).then((bytes) => (got = bytes))
    await turn()
    await settle()
    body.write('one')
    await settle()
    assert.equal(got, undefined)
    await turn()
    await settle()
    assert.equal(String(got), 'one')
  })

  test('of small pieces is handed out joined', async () => {
    const body = new PassThrough()
    const arrivals = new Arrivals(body)
    for (const letter of 'pieces') body.write(letter)
    assert.equal(String(await arrivals.next(waitMs)), 'pieces')
    body.end()
    assert.equal(await arrivals.next(waitMs), undefined)
  })

  test('is refused after 10,000 pieces of less than 16 bytes on the average', async () => {
    for (const [size, pieces, isRefused] of [
      [1, 10_000, false],
      [1, 10_001, true],
      [15, 10_001, true],
      [16, 20_000, false],
    ] as const) {
      const body = new PassThrough({ highWaterMark: 1024 * 1024 })
      const arrivals = new Arrivals(body)
      for (let i = 0; i < pieces; i++) body.write(Buffer.alloc(size))
      body.end()
      const read = async () => {
        while (await arrivals.next(waitMs));
      }
      if (isRefused) await assert.rejects(read, BodyCrumbled, `${pieces} of ${size}`)
      else await read()
    }
  })

  test('says when nothing comes, when it broke off and when it was closed', async () => {
    assert.equal(await new Arrivals(new PassThrough()).next(1), null)
    const broken = new PassThrough()
    const arrivals = new Arrivals(broken)
    broken.destroy(new Error('cut'))
    await assert.rejects(arrivals.next(waitMs), /cut/)
    const closed = new PassThrough()
    const others = new Arrivals(closed)
    closed.destroy()
    await assert.rejects(others.next(waitMs), /closed before its end/)
  })
})
