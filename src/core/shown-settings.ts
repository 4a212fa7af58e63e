import { settings, writtenDefault, type Config, type Setting, type SettingName } from './config.ts'

export type ShownSetting = {
  /** Name of the environment variable. */
  name: string
  group: Setting['group']
  help: string
  /** The value as a user writes it; null if it is not set, and for passwords. */
  value: string | null
  /** The default, in words. */
  default: string
  isDefault: boolean
  isSecret: boolean
}

/** Returns the value that the program uses if nothing is set. */
const defaultOf = ({ default: value, read = (given: unknown) => given }: Setting): unknown =>
  value === null ? null : read(value)

/** Hides the user and password of a URL in an answer. */
const withoutUser = (text: string) => text.replace(/^(https?:\/\/)[^/@]*@/, '$1…@')

const plain = (value: string | number | boolean) =>
  typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value)

/** Lists the settings of a process. For passwords it shows only whether they are set. */
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
