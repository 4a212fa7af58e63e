import { Type, type Static, type TSchema } from 'typebox'

type Group = 'Data' | 'HTTP' | 'Processes' | 'Webhooks' | 'Sources' | 'Operations' | 'Limits' | 'Backup'

/** The type of a default; null means not set. */
type Plain = string | number | boolean | string[] | null

/** `Read` is the type that the program works with: the checked value, or the result of `read`. */
export type Setting<Schema extends TSchema = TSchema, Default extends Plain = Plain, Read = any> = {
  env: string
  /** The flag in the command line's help. Without a `<value>` it switches the setting on. */
  flag: string
  schema: Schema
  default: Default
  /** Called once with a value that passed the schema, including a default that is not null. */
  read?: (value: Static<Schema>) => Read
  /** Writes one part of the result of `read` as text; by default the part is text. */
  write?: (part: any) => string
  /** The default in the help text, if the value itself does not show it. */
  defaultText?: string
  help: string
  /** What a value must be, if the schema does not say it in words. */
  must?: string
  example?: string
  group: Group
  /** A password: never shown. */
  secret?: true
}

export function setting<Schema extends TSchema, Default extends Plain & (Static<Schema> | null), Read = Static<Schema>>(
  given: Setting<Schema, Default, Read>,
): Setting<Schema, Default, Read> {
  return given
}

export const choice = <T extends string>(values: readonly T[]) => Type.Unsafe<T>({ type: 'string', enum: [...values] })
