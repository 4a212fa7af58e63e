import type { Random } from './random.ts'

export type Table = { name: string; seats: number; freeAt: number; isTerrace: boolean }

/** Keeps the tables of one day. A table is assigned until a known end, so no party is seated at an occupied one. */
export type Floor = {
  /**
   * Seats a party at the smallest free table that is large enough; undefined if none is free: the party then leaves.
   */
  seat(random: Random, guests: number, from: number, until: number): Table | undefined
}

/** Seats of the tables of a restaurant with 120 orders a day: in the room, on the terrace. */
const room = [2, 2, 2, 2, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 6, 6, 6, 8]
const terrace = [2, 2, 2, 4, 4, 4]

export function createFloor(ordersPerDay: number): Floor {
  const copies = Math.max(1, Math.ceil(ordersPerDay / 150))
  const make = (seats: readonly number[], prefix: string, isTerrace: boolean) =>
    Array.from({ length: copies }, () => seats)
      .flat()
      .map((seats, index): Table => ({ name: `${prefix}${index + 1}`, seats, freeAt: -Infinity, isTerrace }))
  const tables = [...make(room, '', false), ...make(terrace, 'T', true)]
  return {
    seat: (random, guests, from, until) => {
      const free = tables.filter((table) => table.seats >= guests && table.freeAt <= from)
      const seats = Math.min(...free.map((table) => table.seats))
      const table = free.length > 0 ? random.pick(free.filter((table) => table.seats === seats)) : undefined
      if (table) table.freeAt = until
      return table
    },
  }
}
