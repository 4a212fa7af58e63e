// Runs the tests of the console, or the given files, with every clock set to hours of the day in Paris: 00:10 04:30
// 11:59 15:00 23:50, or the given hours. Tests, server, database and pages have the same time. Requires libfaketime.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { faketime, wrongTime } from '../test/support/set-clock.ts'

const root = join(import.meta.dirname, '..')
const usualHours = ['00:10', '04:30', '11:59', '15:00', '23:50']

const isHour = (text: string) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text)

const given = process.argv.slice(2)
const hours = given.some(isHour) ? given.filter(isHour) : usualHours
const named = given.filter((text) => !isHour(text))
const files = named.length > 0 ? named : globSync('test/browser/*.browser.ts', { cwd: root })

if (faketime === undefined) throw new Error('needs libfaketime: apt-get install faketime')

/** Returns the seconds from now until the next time that this hour begins in Paris. */
function secondsTo(hour: string): number {
  const now = new Date()
  const local = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Paris', timeStyle: 'medium' }).format(now)
  const inDay = (text: string) => text.split(':').reduce((sum, part, at) => sum + Number(part) * 60 ** (2 - at), 0)
  return (inDay(`${hour}:00`) - inDay(local) + 86_400) % 86_400
}

const red: string[] = []
for (const hour of hours) {
  console.log(`\nAt ${hour} in Paris`)
  const options = [
    '--test-force-exit',
    '--test-concurrency=2',
    '--test-timeout=300000',
    '--import=./test/support/preload.ts',
  ]
  const setup = '--test-global-setup=test/browser/global-setup.ts'
  const env = { ...process.env, ...wrongTime(secondsTo(hour)) }
  const { status } = spawnSync(process.execPath, ['--test', ...options, setup, ...files], {
    cwd: root,
    env,
    stdio: 'inherit',
  })
  if (status !== 0) red.push(hour)
}
console.log(red.length === 0 ? `\nGreen at ${hours.join(', ')}.` : `\nRed at ${red.join(', ')}.`)
process.exitCode = red.length === 0 ? 0 : 1
