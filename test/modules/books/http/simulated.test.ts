import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDays } from '../../../../src/core/domain/days/business-time.ts'
import { businessDay } from '../../../../simulator/calendar.ts'
import { createRestaurant, restaurantKinds } from '../../../../simulator/restaurant.ts'
import { simulate } from '../../../../simulator/simulation.ts'
import { startApp } from '../../../support/app.ts'
import { bookedAlike, fourSettings, type RawRecord } from '../../../support/books-compared.ts'

/** Six days by default, with a change of clocks; `TILLGATE_TEST_BOOK_DAYS=365` tests a year. */
const days = Number(process.env['TILLGATE_TEST_BOOK_DAYS'] ?? 6)

const app = await startApp({ clock: () => new Date('2027-06-14T20:00:00.000Z') })

for (const kind of restaurantKinds) {
  test(`every Z of ${days} simulated days of an ${kind} restaurant is booked in four settings like an independent calculation`, async () => {
    const site = await app.addLocation()
    const restaurant = createRestaurant({ seed: 'books', ordersPerDay: 40, kind })
    const from = new Date(businessDay('Europe/Paris', '2026-03-26').startsAt)
    const to = new Date(businessDay('Europe/Paris', addDays('2026-03-26', days)).startsAt)
    const records = [...simulate(restaurant, { from, to, finalOnly: true })].map(({ record }) => record as RawRecord)
    const booked = await bookedAlike(app, site, records, fourSettings)
    assert.equal(booked, records.filter(({ type }) => type === 'report').length)
    assert.ok(booked >= days)
  })
}
