import type { Client } from 'pg'
import { DeadlinePassed, Patience, type Waiting } from '../patience.ts'
import { ConnectionLost, Session } from './session.ts'

/** Work for one connection. `isAlone` keeps it from others until the work is done. */
type Job = {
  isAlone: boolean
  run: (session: Session) => Promise<unknown>
  fail: (error: Error) => void
  waiting: Waiting<Job> | undefined
  /** The number of attempts to connect that had begun when the job was queued. A later attempt that fails also fails the job. */
  after: number
  /** The connection that runs the job; undefined while it is queued. */
  member: Member | undefined
}

/** A connection, and how much work it has. */
type Member = { session: Session; load: number; alone: Job | undefined }

/** A server that could not be reached is asked again after so long, in milliseconds: longer after each time, up to the second number. */
const pauseMs = [10, 500] as const

export type ConnectionsOptions = {
  /** So many at most. */
  most: number
  /** Statements of different callers follow each other on a connection without waiting for answers. */
  isShared: boolean
  /** Statements of one transaction do. */
  isPipelined: boolean
  /** Statements keep their names on a connection. */
  isNamed: boolean
  /** From asking to the answer, in milliseconds. */
  deadlineMs?: number | undefined
  open: () => Promise<Client>
}

/**
 * The connections of a pool, each opened when it is first needed and again after it was lost. Work waits in the order in which it
 * came. Work that is late is rejected: a connection that it hangs on takes no other, and ends when nothing else is under way on it.
 */
export class Connections {
  readonly most: number
  readonly #options: ConnectionsOptions
  readonly #members = new Set<Member>()
  /** Late work hangs on them. */
  readonly #left = new Set<Member>()
  readonly #patience: Patience<Job> | undefined
  #queue: Job[] = []
  #opening = 0
  #attempts = 0
  #failures = 0
  #notBefore = 0
  #timer: NodeJS.Timeout | undefined
  #hasEnded = false
  #isHeld = false
  #onIdle: (() => void) | undefined

  constructor(options: ConnectionsOptions) {
    const { most, deadlineMs } = options
    this.most = most
    this.#options = options
    if (deadlineMs !== undefined) this.#patience = new Patience<Job>(deadlineMs, (job) => this.#giveUp(job, deadlineMs))
  }

  /** Runs work on a connection; settles as it does, or rejects because there is no connection or it is late. */
  use<T>(isAlone: boolean, work: (session: Session) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) return reject(new ConnectionLost())
      const run = (session: Session) => work(session).then(resolve, reject)
      const job: Job = { isAlone, run, fail: reject, waiting: undefined, after: this.#attempts, member: undefined }
      job.waiting = this.#patience?.begin(job)
      this.#queue.push(job)
      this.#serve()
    })
  }

  /** Waits for what is under way, so long at most; what comes later is rejected. */
  async end(timeoutMs: number): Promise<void> {
    this.#hasEnded = true
    if (!this.#isIdle) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#onIdle = resolve
      const timer = setTimeout(resolve, Math.min(timeoutMs, 2 ** 31 - 1))
      await promise
      clearTimeout(timer)
    }
    clearTimeout(this.#timer)
    this.#patience?.clear()
    this.#failAll(new ConnectionLost())
    const all = [...this.#members, ...this.#left]
    for (const { session, load } of all) if (load > 0) session.destroy(new ConnectionLost())
    await Promise.all(all.map(({ session }) => session.close()))
  }

  get isShared(): boolean {
    return this.#options.isShared
  }

  get #isIdle(): boolean {
    return this.#queue.length === 0 && [...this.#members].every(({ load }) => load === 0)
  }

  #serve(): void {
    if (this.#isHeld) return
    for (;;) {
      const [job] = this.#queue
      if (!job) break
      const member = this.#choose()
      if (!member) break
      this.#queue.shift()
      this.#start(job, member)
    }
    this.#openMore()
    if (this.#hasEnded && this.#isIdle) this.#onIdle?.()
  }

  /** One that has nothing to do; else, when there are no more to open, the one with the least that may have others. */
  #choose(): Member | undefined {
    let least: Member | undefined
    for (const member of this.#members) {
      if (member.load === 0) return member
      if (!member.alone && (!least || member.load < least.load)) least = member
    }
    const isToOpen = this.#members.size < this.most && this.#failures === 0
    return this.#options.isShared && !isToOpen ? least : undefined
  }

  #start(job: Job, member: Member): void {
    member.load += 1
    if (job.isAlone) member.alone = job
    job.member = member
    void job.run(member.session).finally(() => {
      if (job.waiting) this.#patience?.end(job.waiting)
      this.#leave(job)
    })
  }

  #leave(job: Job): void {
    const { member } = job
    if (!member) return
    job.member = undefined
    member.load -= 1
    if (member.alone === job) member.alone = undefined
    if (this.#left.has(member) && member.load === 0) member.session.destroy(new ConnectionLost())
    this.#serve()
  }

  #giveUp(job: Job, deadlineMs: number): void {
    const late = new DeadlinePassed(deadlineMs)
    const { member } = job
    job.fail(late)
    if (!member) {
      this.#queue = this.#queue.filter((one) => one !== job)
      return
    }
    if (this.#members.delete(member)) this.#left.add(member)
    // A transaction that is late must not go on: it is rolled back with its connection.
    if (job.isAlone) member.session.destroy(late)
    this.#leave(job)
  }

  #openMore(): void {
    const { most } = this
    while (this.#queue.length > this.#opening && this.#members.size + this.#opening < most) {
      const waitMs = this.#notBefore - performance.now()
      if (waitMs > 0) {
        this.#timer ??= setTimeout(() => {
          this.#timer = undefined
          this.#serve()
        }, waitMs)
        return
      }
      this.#opening += 1
      void this.#open()
    }
  }

  async #open(): Promise<void> {
    const attempt = ++this.#attempts
    try {
      const client = await this.#options.open()
      this.#opening -= 1
      this.#failures = 0
      const { isPipelined, isNamed } = this.#options
      const onEnd = (reason: Error) => this.#lose(member, reason)
      const onStale = () => {
        for (const { session } of this.#members) session.forgetStatements()
      }
      const session = new Session(client, { isPipelined, isNamed, onEnd, onStale })
      const member: Member = { session, load: 0, alone: undefined }
      this.#members.add(member)
      if (this.#hasEnded && this.#queue.length === 0) await session.close()
    } catch (error) {
      this.#opening -= 1
      this.#failures += 1
      this.#notBefore = performance.now() + Math.min(pauseMs[0] * 2 ** (this.#failures - 1), pauseMs[1])
      // What came while it was tried may have better luck, and connections that are there go on with all.
      if (this.#members.size === 0 && this.#opening === 0) this.#failAll(error as Error, attempt)
    }
    this.#serve()
  }

  #lose(member: Member, reason: Error): void {
    this.#members.delete(member)
    this.#left.delete(member)
    // Its work may be waiting for something else.
    member.alone?.fail(reason)
    this.#hold()
  }

  /** Connections are often lost together, and told one after the other: nothing is given to one that is next. */
  #hold(): void {
    if (this.#isHeld) return
    this.#isHeld = true
    setImmediate(() =>
      setImmediate(() => {
        this.#isHeld = false
        this.#serve()
      }),
    )
  }

  /** Rejects what waits, or what came before an attempt. */
  #failAll(error: Error, attempt = Infinity): void {
    const failed = this.#queue.filter(({ after }) => after < attempt)
    this.#queue = this.#queue.filter(({ after }) => after >= attempt)
    for (const job of failed) {
      if (job.waiting) this.#patience?.end(job.waiting)
      job.fail(error)
    }
  }
}
