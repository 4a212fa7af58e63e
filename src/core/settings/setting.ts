import { Type, type Static, type TSchema } from 'typebox'

type Group = 'Data' | 'HTTP' | 'Processes' | 'Webhooks' | 'Sources' | 'Operations' | 'Limits' | 'Backup'

/** What a default can be; null is not set. */
type Plain = string | number | boolean | string[] | null

/** `Read` is what the program works with: the checked value itself, unless `read` makes something of it. */
export type Setting<Schema extends TSchema = TSchema, Default extends Plain = Plain, Read = any> = {
  env: string
  /** As the command line's help shows it; without a `<value>` its presence means on. */
  flag: string
  schema: Schema
  default: Default
  /** Called once with a value that the schema has passed, the default too unless it is null. */
  read?: (value: Static<Schema>) => Read
  /** A part of what `read` made, as one would write it; where it is left out the part is text already. */
  write?: (part: any) => string
  /** What `help` says of the default where the value itself does not tell. */
  defaultText?: string
  help: string
  /** What a value must be, where the schema does not say it in words. */
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
