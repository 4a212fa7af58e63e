import type { Command } from 'commander'
import { addDays } from '../../../src/core/domain/days/business-time.ts'
import { businessDateAt, businessDay } from '../../calendar.ts'
import type { Faults } from '../../faults.ts'
import { createRestaurant, restaurantKinds, type RestaurantKind } from '../../restaurant.ts'
import { readNumber } from '../../../src/core/cli/terminal/options.ts'
import { isDate } from '../../../src/core/contract/scalars.ts'
import { CliError } from '../../../src/core/server/errors.ts'
import type { Scenario } from './sites.ts'

export type ScenarioFlags = {
  seed: string
  from?: string
  to?: string
  ordersPerDay: string
  finalOnly?: true
  restaurant: string
  lateTills?: string
  duplicates?: string
  outOfOrder?: string
  wrongClock?: string
}

/** The simulated restaurants are in this zone. */
const { timeZone } = createRestaurant({ seed: 'any' })

/** How long a late till is offline, in hours. */
const lateHours = [1, 8] as const

/** The maximum error of a wrong clock, in either direction. */
const wrongMinutes = 90

const defaultDays = 7

function readEdge(name: '--from' | '--to', text: string): Date {
  if (isDate(text)) {
    const { startsAt, endsAt } = businessDay(timeZone, text)
    return new Date(name === '--from' ? startsAt : endsAt)
  }
  const at = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(at)) return new Date(at)
  const forms = 'a date (2026-03-14) or a time with its zone (2026-03-14T12:00:00Z)'
  throw new CliError('usage', `${name} must be ${forms}, not ${JSON.stringify(text)}`)
}

/** Reads the interval of a run: whole business days for given dates, the last seven of them by default. */
function readSpan(flags: ScenarioFlags, now: Date): Pick<Scenario, 'from' | 'to'> {
  const today = businessDay(timeZone, businessDateAt(timeZone, now.getTime()))
  const to = flags.to === undefined ? new Date(today.startsAt) : readEdge('--to', flags.to)
  const lastDate = businessDateAt(timeZone, to.getTime() - 1)
  const begin = businessDay(timeZone, addDays(lastDate, 1 - defaultDays))
  const from = flags.from === undefined ? new Date(begin.startsAt) : readEdge('--from', flags.from)
  if (from < to) return { from, to }
  throw new CliError('usage', `--from (${from.toISOString()}) must be before --to (${to.toISOString()})`)
}

function readFaults({ lateTills, duplicates, outOfOrder, wrongClock }: ScenarioFlags): Omit<Faults, 'seed'> {
  const share = (name: string, text: string) => readNumber(name, text, 0, 1)
  return {
    ...(lateTills === undefined ? {} : { lateTills: { perDay: share('--late-tills', lateTills), hours: lateHours } }),
    ...(duplicates === undefined ? {} : { duplicates: share('--duplicates', duplicates) }),
    ...(outOfOrder === undefined ? {} : { outOfOrder: share('--out-of-order', outOfOrder) }),
    ...(wrongClock === undefined
      ? {}
      : { wrongClock: { share: share('--wrong-clock', wrongClock), minutes: wrongMinutes } }),
  }
}

export const kindHelp = 'ordinary, or hostile: every text that its tills send is an attack on software that displays it'

/** Throws `CliError`. */
export function readKind(text: string): RestaurantKind {
  const kind = restaurantKinds.find((known) => known === text)
  if (kind) return kind
  throw new CliError('usage', `--restaurant must be ${restaurantKinds.join(' or ')}, not ${JSON.stringify(text)}`)
}

/** Reads the scenario from the options. Throws `CliError` for the first invalid option. */
export function readScenario(flags: ScenarioFlags, now: Date): Scenario {
  return {
    seed: flags.seed,
    ...readSpan(flags, now),
    ordersPerDay: readNumber('--orders-per-day', flags.ordersPerDay, 1, 5000),
    finalOnly: flags.finalOnly ?? false,
    kind: readKind(flags.restaurant),
    faults: readFaults(flags),
  }
}

export function addScenarioOptions(command: Command): Command {
  return command
    .option('--seed <text>', 'the same seed and days produce the same records', 'simulate')
    .option('--from <when>', `first business day, or a moment (default: ${defaultDays} business days before --to)`)
    .option('--to <when>', 'last business day, or a moment (default: the last whole business day)')
    .option('--orders-per-day <n>', 'orders of a location on an average day', '120')
    .option('--restaurant <kind>', kindHelp, 'ordinary')
    .option('--final-only', 'only the last version of each order, instead of every change')
    .option('--late-tills <share>', `chance of each till on each day to be offline for ${lateHours.join(' to ')} hours`)
    .option('--duplicates <share>', 'share of the records that are sent twice')
    .option('--out-of-order <share>', 'share of the records that arrive late and out of order')
    .option('--wrong-clock <share>', `share of the tills whose clock is up to ${wrongMinutes} minutes wrong`)
}
