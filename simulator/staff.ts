import type { BusinessDay } from './calendar.ts'
import { idOf, randomOf, type Random } from './random.ts'

export type Operator = { id: string; name: string }

export type Operators = {
  managers: Operator[]
  bar: Operator[]
  servers: Operator[]
  trainee: Operator
  extra: Operator[]
}

const names = [
  'Camille',
  'Sacha',
  'Dominique',
  'Alix',
  'Charlie',
  'Noa',
  'Lou',
  'Maxime',
  'Eden',
  'Andrea',
  'Morgan',
  'Yaël',
  'Claude',
  'Swann',
]

/** Makes the team: two managers, two at the bar, six servers, a trainee and three for extra hours. */
export function operatorsOf(seed: string): Operators {
  const random = randomOf(seed, 'team')
  const team = names
    .map((name) => ({ id: idOf(seed, 'operator', name), name, place: random.next() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ id, name }): Operator => ({ id, name }))
  const trainee = team[10] as Operator
  return {
    managers: team.slice(0, 2),
    bar: team.slice(2, 4),
    servers: team.slice(4, 10),
    trainee,
    extra: team.slice(11),
  }
}

/** A period of work, in milliseconds since 1970. `until` increases if an order keeps its operator longer. */
export type Shift = { operator: Operator; from: number; until: number; toClose: boolean }

function pickSome<T>(random: Random, list: readonly T[], count: number): T[] {
  const keyed = list.map((entry) => ({ entry, key: random.next() }))
  return keyed
    .toSorted((one, other) => one.key - other.key)
    .slice(0, count)
    .map(({ entry }) => entry)
}

/** Makes the rota of a day. Servers who return for the evening have two shifts. */
export function rotaOf(random: Random, operators: Operators, day: BusinessDay, closesAt: number): Shift[] {
  const isBusy = day.weekday >= 4
  const around = (minutes: number) => day.at(minutes + random.int(-6, 6)) + random.int(0, 59_999)
  const shift = (operator: Operator, from: number, until: number | 'close'): Shift => ({
    operator,
    from: around(from),
    until: until === 'close' ? closesAt : around(until),
    toClose: until === 'close',
  })
  const [opening, closing] = pickSome(random, operators.managers, 2) as [Operator, Operator]
  const [early, late] = pickSome(random, operators.bar, 2) as [Operator, Operator]
  return [
    shift(opening, 440, 990),
    shift(closing, 900, 'close'),
    shift(early, 460, 930),
    shift(late, 880, 'close'),
    ...pickSome(random, operators.servers, isBusy ? 4 : 3).map((operator) => shift(operator, 670, 950)),
    ...pickSome(random, operators.servers, isBusy ? 5 : 4).map((operator) => shift(operator, 1080, 'close')),
  ]
}

/**
 * Picks an operator who is present for a whole order. If there is none, the shift that ends last among those present
 * is extended; if nobody is present, the shift that begins closest to the order is extended.
 */
export function operatorFor(random: Random, shifts: readonly Shift[], from: number, until: number): Operator {
  const present = shifts.filter((shift) => shift.from <= from && from < shift.until)
  const staying = present.filter((shift) => shift.until >= until)
  if (staying.length > 0) return random.pick(staying).operator
  const last = present.toSorted((one, other) => other.until - one.until)[0]
  const distance = (shift: Shift) => Math.abs(shift.from - from)
  const shift = last ?? shifts.toSorted((one, other) => distance(one) - distance(other))[0]
  if (!shift) throw new RangeError('nobody works that day')
  shift.from = Math.min(shift.from, from - 60_000)
  shift.until = Math.max(shift.until, until + 60_000)
  return shift.operator
}
