import { settings, writtenDefault, type Config, type Setting, type SettingName } from './config.ts'

/** A setting as its operator may see it. */
export type ShownSetting = {
  /** Its environment variable. */
  name: string
  group: Setting['group']
  help: string
  /** As it would be written; null where nothing is set, and for what holds a password. */
  value: string | null
  /** What holds without it, in words. */
  default: string
  isDefault: boolean
  isSecret: boolean
}

/** Returns what the program works with where nothing is set. */
const defaultOf = ({ default: value, read = (given: unknown) => given }: Setting): unknown =>
  value === null ? null : read(value)

/** Hides who signs in by a URL: that does not belong in an answer. */
const withoutUser = (text: string) => text.replace(/^(https?:\/\/)[^/@]*@/, '$1…@')

const plain = (value: string | number | boolean) =>
  typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value)

/** Lists the settings that a process runs with. What holds a password is told as set or not. */
export function showSettings(config: Partial<Config>): ShownSetting[] {
  return Object.entries(config).flatMap(([name, value]) => {
    const setting: Setting | undefined = settings[name as SettingName]
    if (setting === undefined) return []
    const { env, group, help, secret: isSecret = false, write = plain } = setting
    const written = (read: unknown) =>
      ([read ?? []].flat() as (string | number | boolean)[]).map((part) => write(part)).join(',')
    const text = written(value)
    return {
      name: env,
      group,
      help,
      value: isSecret || text === '' ? null : withoutUser(text),
      default: setting.defaultText ?? writtenDefault(setting),
      isDefault: text === written(defaultOf(setting)),
      isSecret,
    }
  })
}
