import { commandsOf } from './answers.ts'
import { castOf, toParameter, type Value } from './values.ts'

export type Row = Readonly<Record<string, any>>

/** A statement as sent, and the possible commands of its answer. A `named` one is prepared once per connection. */
export type Prepared = {
  text: string
  named: boolean
  commands: readonly string[] | undefined
  /** Returns whether the statement can return such rows, if that is known. */
  isAnswer?: (rows: Row[]) => boolean
}

type Parameters = (string | Buffer | null)[]

/** Sends a statement and resolves to its rows. */
export type Ask = (statement: Prepared, parameters: Parameters) => Promise<Row[]>

/** A value between the strings of a template. */
type Slot = Value | Statement<any> | Names | undefined

/** The name of a table or a column, several names, or assignments to columns. */
class Names {
  readonly of: string | readonly string[] | Readonly<Record<string, Value>>

  constructor(of: Names['of']) {
    this.of = of
  }
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** A statement being built. */
class Draft {
  text = ''
  readonly parameters: Parameters = []

  add(strings: readonly string[], slots: readonly Slot[]): void {
    for (const [i, string] of strings.entries()) {
      this.text += string
      if (i < slots.length) this.#slot(slots[i])
    }
  }

  #slot(slot: Slot): void {
    if (slot instanceof Statement) this.add(slot.strings, slot.slots)
    else if (slot instanceof Names) this.#names(slot)
    else this.#value(slot)
  }

  #names({ of }: Names): void {
    if (typeof of === 'string') this.text += quoted(of)
    else if (Array.isArray(of)) this.text += of.map(quoted).join(', ')
    else {
      for (const [i, [name, value]] of Object.entries(of).entries()) {
        this.text += `${i > 0 ? ', ' : ''}${quoted(name)} = `
        this.#value(value)
      }
    }
  }

  #value(value: unknown): void {
    this.parameters.push(toParameter(value))
    this.text += `$${this.parameters.length}${castOf(value)}`
  }
}

const known = new Map<string, Prepared>()

/** Returns the same statement for the same text. */
export function prepared(text: string): Prepared {
  let found = known.get(text)
  if (!found) known.set(text, (found = { text, named: true, commands: commandsOf(text) }))
  return found
}

/** Texts of statements by their template and the casts of its values, if all values are plain: each is built once. */
const ofTemplates = new WeakMap<readonly string[], Map<string, string>>()

const isPlain = (slot: Slot) => !(slot instanceof Statement) && !(slot instanceof Names)

function textOf(strings: readonly string[], slots: readonly Slot[]): string {
  let texts = ofTemplates.get(strings)
  if (!texts) ofTemplates.set(strings, (texts = new Map()))
  const casts = slots.map(castOf)
  const key = casts.join('')
  let text = texts.get(key)
  if (text === undefined) {
    text = strings.map((string, i) => `${string}${i < slots.length ? `$${i + 1}${casts[i]}` : ''}`).join('')
    texts.set(key, text)
  }
  return text
}

/**
 * A statement, which is sent when it is first awaited, or a part of another statement. It resolves to its rows, and
 * rejects with the error of the server or the network.
 */
export class Statement<Rows> extends Promise<Rows> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  readonly strings: readonly string[]
  readonly slots: readonly Slot[]
  /** Sends the statement; undefined once it is sent. */
  #begin: (() => void) | undefined

  constructor(strings: readonly string[], slots: readonly Slot[], send: (of: Statement<Rows>) => Promise<Row[]>) {
    let settle: Pick<PromiseWithResolvers<any>, 'resolve' | 'reject'> | undefined
    super((resolve, reject) => {
      settle = { resolve, reject }
    })
    this.strings = strings
    this.slots = slots
    this.#begin = () => void Promise.try(send, this).then(settle?.resolve, settle?.reject)
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise, and begins when it is waited for
  override then<A = Rows, B = never>(
    done?: ((rows: Rows) => A | PromiseLike<A>) | null,
    failed?: ((error: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    const begin = this.#begin
    this.#begin = undefined
    begin?.()
    // oxlint-disable-next-line promise/no-callback-in-promise -- this is `then`
    return super.then(done, failed)
  }
}

/** A part of a statement. */
export type Expression = Statement<any>

/**
 * A pool, or a transaction of a pool: store functions take an `Sql` first and run on either. As a tag it makes a
 * statement whose values are parameters. Called with names, it makes a list of names; with an object, it makes `"a" =
 * $1, "b" = $2`.
 */
export type Sql = {
  <Rows extends readonly object[] = Row[]>(strings: TemplateStringsArray, ...slots: Slot[]): Statement<Rows>
  (names: Names['of']): Names
  /** Makes a statement of a text with the parameters `$1`, `$2`. By default, and without parameters, it is not prepared. */
  unsafe<Rows extends readonly object[] = Row[]>(
    text: string,
    values?: readonly Value[],
    options?: { prepare?: boolean },
  ): Statement<Rows>
}

const isTemplate = (given: unknown): given is TemplateStringsArray => Array.isArray(given) && 'raw' in given

/** Makes a tag whose statements are sent by `ask`. */
export function makeSql(ask: Ask): Sql {
  const send = ({ strings, slots }: Statement<any>) => {
    if (slots.every(isPlain)) return ask(prepared(textOf(strings, slots)), slots.map(toParameter))
    const draft = new Draft()
    draft.add(strings, slots)
    return ask(prepared(draft.text), draft.parameters)
  }
  const tag = (given: TemplateStringsArray | Names['of'], ...slots: Slot[]) =>
    isTemplate(given) ? new Statement(given, slots, send) : new Names(given)
  const unsafe: Sql['unsafe'] = (text, values = [], { prepare = false } = {}) =>
    new Statement([text], [], () =>
      ask(prepare ? prepared(text) : { text, named: false, commands: commandsOf(text) }, values.map(toParameter)),
    )
  return Object.assign(tag, { unsafe }) as Sql
}
