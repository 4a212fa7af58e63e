import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { ResponseBody } from '../../../../src/core/delivery/sender/response-body.ts'

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text)),
)
const maxima = fc.integer({ min: 1, max: 80 })

function collect(maximum: number, chunks: readonly Uint8Array[]): { body: ResponseBody; isComplete: boolean } {
  const body = new ResponseBody(maximum)
  const isComplete = chunks.every((chunk) => body.add(Buffer.from(chunk)))
  return { body, isComplete }
}

test('text is kept unchanged, in whatever chunks it arrives', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 9 }), (text, size) => {
      const whole = Buffer.from(text)
      const chunks: Buffer[] = []
      for (let at = 0; at < whole.length; at += size) chunks.push(whole.subarray(at, at + size))
      const { body, isComplete } = collect(10_000, chunks)
      assert.ok(isComplete)
      assert.equal(body.text(), text.replaceAll('\0', '\uFFFD'))
    }),
  )
})

test('any bytes become well-formed text without NUL, no longer than the limit', () => {
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 6 }), maxima, (chunks, maximum) => {
      const { body, isComplete } = collect(maximum, chunks)
      const text = body.text()
      assert.ok(Buffer.byteLength(text) <= maximum)
      assert.ok(text.isWellFormed() && !text.includes('\0'))
      assert.equal(isComplete, chunks.reduce((sum, { length }) => sum + length, 0) <= maximum)
    }),
    { numRuns: 500 },
  )
})

test('a character cut by the limit is left out', () => {
  assert.equal(collect(4, [Buffer.from('aéé')]).body.text(), 'aé')
  assert.equal(collect(5, [Buffer.from('a😀😀')]).body.text(), 'a😀')
  assert.equal(collect(7, [Buffer.from([0xff, 0xff, 0xff])]).body.text(), '\uFFFD\uFFFD')
})

test('gzip, deflate and brotli are unpacked up to the limit, even if the packed bytes were cut', async () => {
  const text = 'The quick brown fox. '.repeat(500)
  const packers = { gzip: gzipSync, 'X-Gzip': gzipSync, deflate: deflateSync, br: brotliCompressSync }
  for (const [coding, pack] of Object.entries(packers)) {
    const packed = pack(text)
    assert.equal(await collect(20_000, [packed]).body.unpackedText(coding), text)
    assert.equal(await collect(1000, [packed]).body.unpackedText(coding), text.slice(0, 1000), coding)
  }
  const noise = Buffer.from(Array.from({ length: 4000 }, (_, n) => ((n * n * 7919) % 89) + 33)).toString()
  const cut = await collect(1000, [gzipSync(noise)]).body.unpackedText('gzip')
  assert.ok(cut.length > 0 && noise.startsWith(cut))
})

test('a body that cannot be unpacked is empty, and never an error', async () => {
  for (const coding of ['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', '']) {
    assert.equal(await collect(1000, [Buffer.from('plain text')]).body.unpackedText(coding), '', coding)
  }
  await fc.assert(
    fc.asyncProperty(fc.uint8Array(), fc.constantFrom('gzip', 'deflate', 'br'), async (chunk, coding) => {
      assert.ok(Buffer.byteLength(await collect(50, [chunk]).body.unpackedText(coding)) <= 50)
    }),
  )
})

/** 128 MiB of `A` in brotli: 203 bytes. Prepared beforehand, so that the plain bytes are not in the memory measured. */
const bomb = Buffer.from(
  'y///PwAkguKxQHLv//j//weABEAcFoDu/R////8AkACIwwLQvf/j//8fABIAcVgAuvd//P//A0ACIA4LQPf+j///fwBIAMRhAeje//H//w8ACYA4LADd' +
    '+z/+//8BIAEQhwWge//H//8/ACQA4rAAdO//+P//B4AEQBwWgO79H////wCQAIjDAtC9/+P//x8AEgBxWAC693/8//8DQAIgDgtA9/6P//9/AEgAxGEB' +
    '6N7/8f//DwAJgDgsAN37v/z//wMgARCHBaB7/wc=',
  'base64',
)

test('a decompression bomb costs no more than the limit, not its unpacked size', async () => {
  const { body } = collect(16 * 1024, [bomb])
  const { arrayBuffers } = process.memoryUsage()
  assert.equal(await body.unpackedText('br'), 'A'.repeat(16 * 1024))
  const grown = process.memoryUsage().arrayBuffers - arrayBuffers
  assert.ok(grown < 8 * 1024 * 1024, `${grown} bytes`)
})
