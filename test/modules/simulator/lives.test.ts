import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arrange, openDraft, type Life } from '../../../simulator/lives.ts'
import { createRestaurant } from '../../../simulator/restaurant.ts'

const restaurant = createRestaurant({ seed: 'lives' })
const visit = { key: 'visit', kind: 'bar', at: 1000, guests: 1, isRush: false } as const

test('the steps of an order are in order of time, each in its own millisecond', () => {
  const draft = openDraft(restaurant, visit, {
    deviceId: restaurant.devices.bar.id,
    place: 'Bar 1',
    operator: { id: '1', name: 'Camille' },
    channel: 'pos',
    serviceType: 'eat_in',
  })
  const life: Life = {
    draft,
    steps: [3000.4, 1000, 3000, 2999.6, 2000].map((at) => ({ at, run: () => {} })),
    movable: null,
  }
  arrange(life)
  assert.deepEqual(
    life.steps.map((step) => step.at),
    [1000, 2000, 3000, 3001, 3002],
  )
})
