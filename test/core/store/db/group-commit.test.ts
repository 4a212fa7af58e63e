import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { GroupCommit } from '../../../../src/core/store/db/group-commit.ts'

/** Lets the test see each transaction begin, and end it. */
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

test('jobs that arrive while a transaction runs share the next one, and each hears its own result', async () => {
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

test('a group that gathers has the jobs of one turn in its first transaction', async () => {
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
  test(`who lets a group${kind} pass goes on when its transaction has ended, also in failure`, async () => {
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

test('who lets a group pass does not wait for longer than it may', async () => {
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

test('a transaction takes no more than fits, and a job that is larger goes alone', async () => {
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

test('of a shared transaction that fails, each job is tried alone, and only the bad one fails', async () => {
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

test('when the database is away, all jobs of the transaction fail at once, and the next ones are tried', async () => {
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
