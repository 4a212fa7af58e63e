import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogChanges } from '../../../src/core/contract/catalog/changes.ts'
import {
  ArrayBroken,
  checkArray,
  cutArray,
  isArrayText,
  pauseEvery,
} from '../../../src/core/ingest/receive/array-elements.ts'
import { Gathered } from '../../../src/core/ingest/receive/gathered.ts'
import { ingestJson, ingestLines } from '../../../src/core/ingest/receive/ingest.ts'
import { listLimit } from '../../../src/core/ingest/record-limits.ts'
import { nextBodyTurn, EventLoopShare, workPerTurn } from '../../../src/core/ingest/event-loop-share.ts'
import { WriteQueue } from '../../../src/core/ingest/write/queue.ts'
import { listRejected } from '../../../src/core/store/pushes/rejected.ts'
import { openWriteConnections } from '../../../src/core/server/connections.ts'
import { isOneServer } from '../../../src/core/store/pushes/statement.ts'
import { addLocation } from '../../support/app.ts'
import { atEnd, createDatabase } from '../../support/database.ts'
import { order, productsOf, smallOrderOf } from '../../support/records.ts'

const { pool } = await createDatabase()
const writer = new WriteQueue(pool, () => new Date('2026-03-01T10:00:00.000Z'))
const location = await addLocation(pool)
const pusher = { locationId: location, keyId: null }

const texts = (body: string) => [...cutArray([Buffer.from(body)])].filter((part) => part !== undefined).map(String)

test('an array is split into its elements, whatever they contain', () => {
  assert.deepEqual(texts('[]'), [])
  assert.deepEqual(texts(' \n[ \t]\r\n'), [])
  assert.deepEqual(texts('[1]'), ['1'])
  assert.deepEqual(texts('[ {"a":[1,2]} ,\n"],[" , [[],{}] ]'), ['{"a":[1,2]}', '"],["', '[[],{}]'])
  assert.deepEqual(texts(String.raw`["\"],",1.50,"\\"]`), [String.raw`"\"],"`, '1.50', String.raw`"\\"`])
  assert.ok(
    isArrayText([Buffer.from(' \n'), Buffer.from('[')]) &&
      !isArrayText([Buffer.from('{"a":[]}')]) &&
      !isArrayText([Buffer.from(' ')]),
  )
})

test('an array is split into the same elements wherever its parts are cut', () => {
  const body = String.raw`  [ {"a":"\"],[\\"} ,"x]" , [1,{"b":[]}],1.50 ]  `
  const whole = texts(body)
  assert.equal(whole.length, 4)
  const bytes = Buffer.from(body)
  for (let cut = 0; cut <= bytes.length; cut++) {
    for (const more of [1, 2, 7]) {
      const parts = [bytes.subarray(0, cut), bytes.subarray(cut, cut + more), bytes.subarray(cut + more)]
      assert.ok(isArrayText(parts))
      assert.ok([...checkArray(parts)].every((pause) => pause === undefined))
      const elements = [...cutArray(parts)].filter((part) => part !== undefined)
      assert.deepEqual(elements.map(String), whole, `cut at ${cut} and ${more} further`)
    }
  }
})

test('a received body is read in place, and elements within a block are not copied', () => {
  const gathered = new Gathered(8 * 1024 * 1024)
  const bytes = Buffer.from(`[${Array.from({ length: 200_000 }, (_, n) => `"${n}"`).join()}]`)
  gathered.append(bytes)
  const { parts } = gathered
  assert.ok(parts.length > 5)
  assert.ok(Buffer.concat(parts).equals(bytes))
  const own = new Set(parts.map(({ buffer }) => buffer))
  const elements = [...cutArray(parts)].filter((part) => part !== undefined)
  assert.equal(elements.length, 200_000)
  const copied = elements.filter(({ buffer }) => !own.has(buffer))
  assert.ok(copied.length <= parts.length, `${copied.length} of 200,000 elements are copies`)
  gathered.drop()
})

test('an element longer than a record may be is not joined', () => {
  const part = Buffer.alloc(listLimit / 2, 'x')
  const [quote, end] = [Buffer.from('["'), Buffer.from('",1]')]
  const parts = [quote, ...Array.from({ length: 40 }, () => part), end]
  const [long, next] = [...cutArray(parts)].filter((element) => element !== undefined)
  assert.ok(long!.length > listLimit && long!.length < 2 * listLimit)
  assert.equal(String(next), '1')
})

test('an incomplete array is refused, with the reason', () => {
  for (const [body, reason] of [
    ['[1,', /element 2 of the array is missing|no closing bracket/],
    ['[1,]', /element 2 of the array is missing/],
    ['[,1]', /element 1 of the array is missing/],
    ['[1,,2]', /element 2 of the array is missing/],
    ['[{"a":1]', /no closing bracket/],
    ['["a]', /no closing bracket/],
    ['[1] x', /unexpected text after the end/],
    ['[1][2]', /unexpected text after the end/],
  ] as const) {
    const hasReason = (error: unknown) => error instanceof ArrayBroken && reason.test(error.message)
    assert.throws(() => texts(body), hasReason, body)
    for (let cut = 0; cut <= body.length; cut++) {
      const parts = [Buffer.from(body.slice(0, cut)), Buffer.from(body.slice(cut))]
      assert.throws(() => [...checkArray(parts)], hasReason, `${body} cut at ${cut}`)
    }
  }
})

test('the check whether a body is an array allocates nothing per element', () => {
  for (const one of ['1', '{}', '"x"', ' 1 ']) {
    const body = Buffer.from(`[${Array(10_000).fill(one).join()}]`)
    let made = 0
    const subarray = body.subarray.bind(body)
    body.subarray = (...range) => ((made += 1), subarray(...range))
    for (const _ of checkArray([body]));
    assert.equal(made, 0, one)
    for (const _ of cutArray([body]));
    assert.equal(made, 10_000, 'what cuts it is seen to make something')
  }
})

test('the walk over an array pauses every 64 KiB', () => {
  for (const body of [`[${'1,'.repeat(500_000)}1]`, `["${'x'.repeat(1_000_000)}"]`, '['.repeat(1_000_000)]) {
    let pauses = 0
    try {
      for (const part of cutArray([Buffer.from(body)])) if (part === undefined) pauses += 1
    } catch (error) {
      assert.ok(error instanceof ArrayBroken)
    }
    assert.ok(pauses >= Math.floor(body.length / pauseEvery) - 1, `${pauses} pauses in ${body.length} bytes`)
  }
})

/** Pushes while counting turns of the event loop. Resolves to the maximum amount read between two turns. */
async function turnsOf(push: (turns: EventLoopShare) => Promise<unknown>) {
  let turns = 0
  await push(new EventLoopShare({ yieldTurn: async () => void (turns += 1), rest: async () => void (turns += 1) }))
  return turns
}

test('other requests have their turn after 25 records or 256 KiB of a body, in either format', async () => {
  const small = Array.from({ length: 200 }, (_, n) => JSON.stringify(order(smallOrderOf(location, n))))
  const large = Array.from({ length: 6 }, (_, n) =>
    JSON.stringify({ type: 'catalog.products', data: productsOf(1000 + n) }),
  )
  assert.ok(large.every(({ length }) => length > workPerTurn.bytes))
  const array = (records: string[]) => Buffer.from(`[${records.join(',\n')}]`)
  async function* lines(records: string[]) {
    yield Buffer.from(records.join('\n'))
  }
  for (const records of [small, large]) {
    // Long records are parsed, validated, checked for warnings and searched in separate turns.
    const least = records === small ? small.length / workPerTurn.records : 5 * large.length
    const asArray = await turnsOf((turns) => ingestJson(writer, pusher, [array(records)], { turns }))
    assert.ok(asArray >= least, `${asArray} turns in an array of ${records.length} records`)
    const asLines = await turnsOf((turns) => ingestLines(writer, pusher, lines(records), { turns }))
    assert.ok(asLines >= least, `${asLines} turns in ${records.length} lines`)
  }
})

class CountedWriter extends WriteQueue {
  ways = 0
  override turn() {
    this.ways += 1
    return super.turn()
  }
}

test('a long push yields to small ones after 25 records, both while it is read and while it is written', async () => {
  const connections = openWriteConnections(pool, 60_000)
  atEnd(async () => void (await Promise.all([connections?.small.end(), connections?.long.end()])))
  const counted = new CountedWriter(pool, () => new Date('2026-03-01T10:00:00.000Z'), { connections })
  const locationId = await addLocation(pool)
  const count = 4 * workPerTurn.records
  async function* lines(push: number) {
    for (let n = 0; n < count; n++)
      yield Buffer.from(`${JSON.stringify(order(smallOrderOf(locationId, push * count + n)))}\n`)
  }
  const waysOf = async (push: number) => {
    const before = counted.ways
    const { accepted } = await ingestLines(counted, { locationId, keyId: null }, lines(push))
    assert.equal(accepted, count)
    return counted.ways - before
  }
  const ways = [await waysOf(0), await waysOf(1), await waysOf(2)]
  // The first 25 are decided at once.
  const isFast = connections !== undefined && (await isOneServer(pool))
  assert.deepEqual(ways, isFast ? [7, 7, 7] : [4, 4, 4])
})

test('of the waiting bodies, one continues per turn of the event loop', async () => {
  let round = 0
  let isOver = false
  const count = () => void ((round += 1), isOver || setImmediate(count))
  setImmediate(count)
  const rounds: number[] = []
  const body = async () => {
    for (let turn = 0; turn < 3; turn++) {
      await nextBodyTurn()
      rounds.push(round)
    }
  }
  await Promise.all(Array.from({ length: 5 }, body))
  isOver = true
  assert.equal(rounds.length, 15)
  assert.equal(new Set(rounds).size, 15, `the rounds of their turns: ${rounds.join()}`)
})

test('long records are read one at a time, with a pause after each part as long as the part took', async () => {
  const steps: string[] = []
  let now = 0
  function* parts(name: string) {
    for (let part = 1; part <= 3; part++) {
      steps.push(name + part)
      now += 10 * part
      yield
    }
    return name
  }
  const turns = () => new EventLoopShare({ rest: async (ms) => void steps.push(`rest ${ms}`), now: () => now })
  assert.deepEqual(await Promise.all([turns().divide(parts('a')), turns().divide(parts('b'))]), ['a', 'b'])
  const one = (name: string) => [`${name}1`, 'rest 10', `${name}2`, 'rest 20', `${name}3`, 'rest 30', 'rest 0']
  assert.deepEqual(steps, [...one('a'), ...one('b')])
  function* broken() {
    yield
    throw new Error('broken')
  }
  await assert.rejects(turns().divide(broken()), /broken/)
  assert.equal(await turns().divide(parts('c')), 'c', 'what breaks holds up nobody')
})

test('an array of very many empty elements yields to other requests, and stops', async () => {
  const body = Buffer.from(`[${'0,'.repeat(2_000_000)}0]`)
  let answered = 0
  const turns = await turnsOf(async (turns) => {
    const { rejected, stopped } = await ingestJson(writer, pusher, [body], { turns })
    assert.equal(stopped?.code, 'too_many_rejected')
    answered = rejected
  })
  assert.ok(turns >= answered / workPerTurn.records + body.length / workPerTurn.bytes - 1, `${turns} turns`)
})

test('a rejected record is kept with its first 16 KiB and twenty faults', async () => {
  const fields = Array.from({ length: 12_000 }, (_, n) => `"field${n}":1.0`).join()
  const frame = `{"type":"order",${fields},"data":{}}`
  const inside = `{"type":"order","data":{${fields}}}`
  const list = `{"type":"catalog.products","data":[${'1.0,'.repeat(100_000)}1]}`
  for (const text of [frame, inside, list]) {
    const id = await addLocation(pool)
    const answer = await ingestJson(writer, { locationId: id, keyId: null }, [Buffer.from(text)])
    assert.equal(answer.results[0]?.errors?.length, 20)
    const [kept] = await listRejected(pool, id, 1)
    assert.ok(kept?.record === text.slice(0, 16 * 1024), `${kept?.record.length} characters are kept`)
    assert.equal((JSON.parse(kept?.errors ?? '[]') as unknown[]).length, 20)
  }
})

test('while two versions of a price list are compared, other requests have their turn every 500 parts', async () => {
  const prices = (unitPrice: number) =>
    Array.from({ length: 10_000 }, (_, n) => ({ priceTypeId: n, priceTypeName: '', unitPrice, taxRate: 0 }))
  const version = (unitPrice: number) => JSON.stringify([{ id: location, name: 'x', priceList: prices(unitPrice) }])
  let turns = 0
  const changes = await catalogChanges(version(1), version(2), async () => void (turns += 1))
  assert.equal(changes[0]?.fields.length, 10_000)
  assert.ok(turns >= 20, `${turns} turns`)
})
