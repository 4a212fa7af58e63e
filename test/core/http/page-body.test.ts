import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { blockBytes, PageBody } from '../../../src/core/http/answers/page-body.ts'
import { BodyBudget, BudgetSpent } from '../../../src/core/ingest/receive/body-budget.ts'
import { Gate } from '../../../src/core/http/guard/gate.ts'
import { startApp } from '../../support/app.ts'
import { order, orderOf } from '../../support/records.ts'

const free = () => new BodyBudget().open('key')

const text = (parts: readonly Buffer[]) => Buffer.concat(parts).toString('latin1')

describe('the body of a page', () => {
  test('is its documents in their envelope, wherever its blocks are cut', () => {
    const length = fc.oneof(
      fc.nat(50),
      fc.integer({ min: blockBytes - 12, max: blockBytes + 2 }),
      fc.nat(2 * blockBytes),
    )
    const documents = fc.array(fc.record({ length, inParts: fc.boolean() }), { maxLength: 8 })
    fc.assert(
      fc.property(documents, (all) => {
        const body = new PageBody(free())
        const whole = all.map(({ length }, i) => `"${String(i % 10).repeat(length)}"`)
        for (const [i, one] of whole.entries()) {
          const bytes = Buffer.from(`..${one}.`)
          if (all[i]?.inParts) body.addParts([one.slice(0, 1), Buffer.from(one.slice(1))])
          else body.add(bytes, 2, bytes.length - 1)
        }
        const parts = body.finish({ meta: { n: 1 } })
        assert.ok(parts.slice(0, -1).every((part) => part.length === blockBytes))
        assert.ok(text(parts) === `{"data":[${whole.join()}],"meta":{"n":1}}`)
        body.release()
      }),
      { numRuns: 60 },
    )
  })

  test('reuses its blocks', () => {
    const large = Buffer.alloc(20 * blockBytes, 'x')
    const make = () => {
      const body = new PageBody(free())
      body.add(large, 0, large.length)
      const parts = body.finish({ meta: {} })
      const blocks = parts.map(({ buffer }) => buffer)
      body.release()
      return blocks
    }
    const first = make()
    assert.equal(first.length, 21)
    assert.ok(make().every((block) => first.includes(block)))
  })

  test('counts against the budget from its second block on, until it is released', () => {
    const budget = new BodyBudget({ process: 4 * blockBytes, key: 4 * blockBytes })
    const body = new PageBody(budget.open('key'))
    const half = Buffer.alloc(blockBytes / 2)
    const held = [1, 2, 3, 4].map(() => (body.add(half, 0, half.length), budget.held / blockBytes))
    assert.deepEqual(held, [0, 1, 1, 2])
    body.release()
    assert.equal(budget.held, 0)
    body.add(half, 0, half.length)
    assert.deepEqual(body.finish({}), [], 'what comes after its release is passed over')
  })

  test('without room in the budget is empty and reports this at its end; cleared, it starts again', () => {
    const budget = new BodyBudget({ process: 2 * blockBytes, key: 2 * blockBytes })
    const body = new PageBody(budget.open('key'))
    const document = Buffer.alloc(blockBytes, '1')
    for (let i = 0; i < 3; i++) body.add(document, 0, document.length)
    assert.equal(budget.held, 0)
    assert.throws(() => body.finish({}), BudgetSpent)
    body.clear()
    body.add(document, 0, 3)
    assert.equal(text(body.finish({ meta: {} })), '{"data":[111],"meta":{}}')
  })
})

test('a page of several blocks is complete and has its length, for HEAD too', async () => {
  const answers = new BodyBudget()
  const app = await startApp({ answers, requests: new Gate('requests', { perKey: 0, perProcess: 0 }) })
  const orders = Array.from({ length: 8 }, (_, n) =>
    order(orderOf(app.location, n, { customerId: 'x'.repeat(200_000) })),
  )
  await app.store(orders)
  for (const path of ['/v1/orders/', '/v1/events/?limit=1000']) {
    const page = await app.get(path)
    assert.equal(page.status, 200)
    assert.ok(page.json.data.length >= 8)
    assert.ok(Number(page.headers['content-length']) > 3 * blockBytes)
    const head = await app.request('HEAD', path, { key: app.key })
    assert.equal(head.headers['content-length'], page.headers['content-length'])
    assert.equal(head.text, '')
  }
  assert.equal(answers.held, 0)
})
