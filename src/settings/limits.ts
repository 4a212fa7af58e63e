import { Type } from 'typebox'
import { setting } from './setting.ts'

const whole = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum })

/** What one caller may cost the others. docs/limits.md has all limits, those that are no settings too. */
export const limits = {
  unknownKeys: setting({
    group: 'Limits',
    env: 'TILLGATE_UNKNOWN_KEYS',
    flag: '--unknown-keys <n>',
    schema: whole(0, 100_000),
    default: 100,
    help: 'Look-ups per second of keys that are not known, counted in each process; 0 for no limit.',
  }),
} as const
