import { test } from 'node:test'
import { createDatabase, everyServer } from '../../support/database.ts'
import { assertRestoredAlike, days, openRestaurant } from './restaurant.ts'

const servers = await everyServer()

const sources = []
for (const server of servers)
  sources.push({ server, restaurant: await openRestaurant(await createDatabase({ server })) })

for (const { server, restaurant } of sources) {
  for (const target of servers) {
    test(`${days} days of a restaurant on the ${server} server return the same bytes after a restore on the ${target} one`, async () => {
      await assertRestoredAlike(restaurant, await createDatabase({ server: target }))
    })
  }
}
