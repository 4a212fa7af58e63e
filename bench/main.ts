import { depth } from './depth.ts'

const parts: Record<string, () => Promise<void>> = { depth: () => depth() }

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in parts))
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`)
  process.exit(2)
}
for (const [name, run] of Object.entries(parts)) if (asked.length === 0 || asked.includes(name)) await run()
