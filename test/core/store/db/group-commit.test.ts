import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { GroupCommit } from '../../../../src/core/store/db/group-commit.ts'

/** Transactions that the test can observe and end. */
class Transactions {
  readonly begun: { locationId: string; jobs: readonly string[]; end: (error?: unknown) => void }[] = []
  readonly #arrivals: (() => void)[] = []

  readonly commit = (locationId: string, jobs: readonly string[]) =>
    new Promise<string[]>((done, failed) => {
      const end = (error?: unknown) =>
        error === undefined ? done(jobs.map((job) => job.toUpperCase())) : failed(error)
      this.begun.push({ locationId, jobs, end })
      this.#arrivals.shift()?.()
    })

  async at(i: number) {
    while (this.begun.length <= i) await new Promise<void>((arrived) => this.#arrivals.push(arrived))
    const transaction = this.begun[i]
    assert.ok(transaction)
    return transaction
  }
}

test('jobs that arrive during a transaction share the next one, and each gets its own result', async () => {
  const transactions = new Transactions()
  const group = new GroupCommit({ commit: transactions.commit })
  const answers = Promise.all(['a', 'b', 'c'].map((job) => group.add('here', job)))
  const first = await transactions.at(0)
  assert.deepEqual(first.jobs, ['a'])
  first.end()
  const second = await transactions.at(1)
  assert.deepEqual(second.jobs, ['b', 'c'])
  second.end()
  assert.deepEqual(await answers, ['A', 'B', 'C'])
})

test('a gathering group has the jobs of one turn in its first transaction', async () => {
  const transactions = new Transactions()
  const group = new GroupCommit({ commit: transactions.commit, gathers: true })
  const answers = Promise.all(['a', 'b'].map((job) => group.add('here', job)))
  const first = await transactions.at(0)
  assert.deepEqual(first.jobs, ['a', 'b'])
  first.end()
  assert.deepEqual(await answers, ['A', 'B'])
})

for (const gathers of [false, true]) {
  const kind = gathers ? ', which gathers,' : ''
  test(`a caller that lets a group${kind} go first continues when its transaction has ended, even if it failed`, async () => {
    const transactions = new Transactions()
    const group = new GroupCommit({ commit: transactions.commit, gathers })
    await group.letPass('here', 60_000)
    for (const [i, error] of [undefined, new Error('refused')].entries()) {
      const answer = group.add('here', 'a').catch((failure: unknown) => failure)
      let hasPassed = false
      const passing = group.letPass('here', 60_000).then(() => (hasPassed = true))
      await group.letPass('there', 60_000)
      const transaction = await transactions.at(i)
      await setImmediate()
      await setImmediate()
      assert.equal(hasPassed, false)
      transaction.end(error)
      await passing
      assert.equal(await answer, error ?? 'A')
    }
  })
}

test('a caller that lets a group go first waits no longer than its limit', async () => {
  const transactions = new Transactions()
  const group = new GroupCommit({ commit: transactions.commit })
  const answer = group.add('here', 'a')
  await group.letPass('here', 1)
  const running = await transactions.at(0)
  running.end()
  assert.equal(await answer, 'A')
})

test('locations do not wait for each other', async () => {
  const transactions = new Transactions()
  const group = new GroupCommit({ commit: transactions.commit })
  const here = group.add('here', 'a')
  const there = group.add('there', 'b')
  ;(await transactions.at(1)).end()
  assert.equal(await there, 'B')
  ;(await transactions.at(0)).end()
  assert.equal(await here, 'A')
})

test('a transaction has a size limit, and a larger job runs alone', async () => {
  const transactions = new Transactions()
  const group = new GroupCommit({ commit: transactions.commit, sizeOf: (job) => job.length, sizeLimit: 4 })
  const answers = Promise.all(['a', 'bb', 'cc', 'd', 'eeeee', 'f'].map((job) => group.add('here', job)))
  const expected = [['a'], ['bb', 'cc'], ['d'], ['eeeee'], ['f']]
  for (const [i, jobs] of expected.entries()) {
    const transaction = await transactions.at(i)
    assert.deepEqual(transaction.jobs, jobs)
    transaction.end()
  }
  assert.deepEqual(await answers, ['A', 'BB', 'CC', 'D', 'EEEEE', 'F'])
})

test('after a shared transaction failed, each job is retried alone, and only the faulty one fails', async () => {
  const transactions = new Transactions()
  const group = new GroupCommit({ commit: transactions.commit, gathers: true })
  const answers = Promise.allSettled(['a', 'bad', 'c'].map((job) => group.add('here', job)))
  ;(await transactions.at(0)).end(new Error('one of them is bad'))
  for (const i of [1, 2, 3]) {
    const transaction = await transactions.at(i)
    assert.equal(transaction.jobs.length, 1)
    transaction.end(transaction.jobs[0] === 'bad' ? new Error('this one is bad') : undefined)
  }
  const [a, bad, c] = await answers
  assert.deepEqual(
    [a, c],
    ['A', 'C'].map((value) => ({ status: 'fulfilled', value })),
  )
  assert.ok(bad?.status === 'rejected' && bad.reason instanceof Error && bad.reason.message === 'this one is bad')
})

test('if the database is unavailable, all jobs of the transaction fail at once, and the next ones are tried', async () => {
  const transactions = new Transactions()
  const group = new GroupCommit({ commit: transactions.commit, gathers: true })
  const answers = Promise.allSettled(['a', 'b'].map((job) => group.add('here', job)))
  const first = await transactions.at(0)
  const next = group.add('here', 'c')
  first.end(Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED' }))
  assert.deepEqual(
    (await answers).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  ;(await transactions.at(1)).end()
  assert.equal(await next, 'C')
  assert.equal(transactions.begun.length, 2)
})
