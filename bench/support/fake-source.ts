import { VirtualClock, startFake } from '../../test/modules/sources/faults.ts'
import { fakes } from '../../test/modules/sources/polling.ts'
import type { LiveSource } from '../../src/modules/sources/schemas/sources.ts'

// The invented shop of a system, in a separate process so that its time is not counted. It has ten hours of sales and
// no new ones. Prints its address, and ends with its standard input.

const [adapter, until] = process.argv.slice(2) as [LiveSource, string]
const clock = new VirtualClock(new Date(Date.parse(until) - 10 * 3_600_000).toISOString())
const shop = fakes[adapter](1, clock)
const fake = await startFake(shop, { seed: 1, clock, isLogin: ({ path }) => path.includes('login') })
fake.calm()
for (let i = 0; i < 300; i++) {
  clock.advance(2 * 60_000)
  shop.act()
}
shop.settle()
process.stdout.write(`${JSON.stringify({ url: fake.url, token: fake.token, account: shop.account })}\n`)
process.stdin.resume().on('end', () => void fake.close())
