import type { Client } from 'pg'
import { DeadlinePassed, Patience, type Waiting } from '../patience.ts'
import { ConnectionLost, Session } from './session.ts'

/** Work for one connection. `isAlone` reserves the connection until the work is done. */
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

/** A connection and the number of its jobs. */
type Member = { session: Session; load: number; alone: Job | undefined }

/** The pause before the next attempt to reach a server, in milliseconds: it grows from the first value to the second. */
const pauseMs = [10, 500] as const

export type ConnectionsOptions = {
  /** Maximum number of connections. */
  most: number
  /** Whether statements of different callers share a connection, sent one after another without waiting for answers. */
  isShared: boolean
  /** Whether the statements of one transaction are sent without waiting for answers. */
  isPipelined: boolean
  /** Whether prepared statements keep their names on a connection. */
  isNamed: boolean
  /** Maximum time from the request to the answer, in milliseconds. */
  deadlineMs?: number | undefined
  open: () => Promise<Client>
}

/**
 * The connections of a pool, each opened on first use and again after a loss. Work waits first come, first served. Late
 * work is rejected, and its connection takes no other work: it ends when nothing else is running on it.
 */
export class Connections {
  readonly most: number
  readonly #options: ConnectionsOptions
  readonly #members = new Set<Member>()
  /** Connections on which late work still runs. */
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

  /** Runs work on a connection. Settles as the work does, or rejects because there is no connection or the work is late. */
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

  /** Waits for work in progress, at most this long; later work is rejected. */
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

  /** Returns an idle connection; if there is none and no more can be opened, the least busy one that can be shared. */
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
    // A late transaction must not continue: it is rolled back with its connection.
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
      // Work queued during the attempt may still succeed, and existing connections continue with the whole queue.
      if (this.#members.size === 0 && this.#opening === 0) this.#failAll(error as Error, attempt)
    }
    this.#serve()
  }

  #lose(member: Member, reason: Error): void {
    this.#members.delete(member)
    this.#left.delete(member)
    // The job that has reserved this connection may be waiting for something other than the database, and must fail
    // now.
    member.alone?.fail(reason)
    this.#hold()
  }

  /** Connections are often lost together but reported one by one, so no work is assigned until all are reported. */
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

  /** Rejects queued work, or the work queued before an attempt. */
  #failAll(error: Error, attempt = Infinity): void {
    const failed = this.#queue.filter(({ after }) => after < attempt)
    this.#queue = this.#queue.filter(({ after }) => after >= attempt)
    for (const job of failed) {
      if (job.waiting) this.#patience?.end(job.waiting)
      job.fail(error)
    }
  }
}
