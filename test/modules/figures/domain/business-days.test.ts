import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayFacts, gapsOf, nextDay } from '../../../../src/modules/figures/domain/business-days.ts'
import { completenessOf } from '../../../../src/modules/figures/domain/completeness.ts'
import { factsByDay, findTills, type DeviceFacts } from '../../../../src/modules/figures/domain/tills.ts'
import type { ReportCheck } from '../../../../src/modules/figures/domain/report-checks.ts'
import { businessTime } from '../../../../src/core/domain/days/business-time.ts'
import { rowsOf } from '../../books/domain/booked.ts'

// The definitions are those of docs/modules/figures.md. Days are of March 2026 in UTC, and start at 05:00.

const time = businessTime({ timeZone: 'UTC', dayStartsAt: '05:00' })
const at = (text: string) => `2026-03-${text.padEnd(5, '0')}:00:00.000Z`

/**
 * Parses reports `C1:7@14T22` (till, number, time of closing; `/d1` a device in its orders; `?moxu` a missing, open or
 * extra order, unbalanced), days of devices `d1=14` (`!1` unreported orders), promises `d1~15T05` (`!1` missing order).
 */
function read(text: string, settings: Partial<DeviceFacts> = {}): DeviceFacts {
  const checks = [...text.matchAll(/(\w+):(\d+)@(\w+)(?:\/(\w+))?(?:\?(\w+))?/g)].map(
    ([, name = '', number, when = '', device, marks = '']) => {
      const ids = (mark: string) => (marks.includes(mark) ? [mark] : [])
      return {
        reportId: `${name} ${number}`,
        reportNumber: Number(number),
        till: `name ${name}`,
        deviceName: name,
        deviceIdentifier: null,
        devices: device ? [device] : [],
        finalizedAt: at(when),
        businessDay: time.dayOf(Date.parse(at(when))),
        verdict: marks.includes('u') ? 'unbalanced' : 'balanced',
        orders: { missing: ids('m').length, open: ids('o').length },
        missing: ids('m'),
        open: ids('o'),
        extra: ids('x'),
        adopted: [],
      }
    },
  ) as unknown as ReportCheck[]
  const sums = { counted: 1, sales: 110_000, salesRest: 0, tax: 10_000, taxRest: 0 }
  const deviceDays = [...text.matchAll(/(\w+)=(\d+)(?:!(\d))?/g)].map(([, deviceId, day = '', unreported = '0']) => {
    return { deviceId, day: `2026-03-${day}`, lastAt: at(`${day}T12`), unreported: Number(unreported), ...sums }
  }) as unknown as DeviceFacts['deviceDays']
  const promises = [...text.matchAll(/(\w+)~(\w+)(?:!(\d))?/g)].map(([, deviceId = '', until = '', missing = '0']) => {
    return { deviceId, at: at(until), completeUntil: at(until), missing: Number(missing) }
  })
  return { checks, deviceDays, promises, known: [], retired: {}, reportNumbers: 'consecutive', ...settings }
}

const tillsOf = (text: string, settings: Partial<DeviceFacts> = {}) => findTills(read(text, settings), time.dayOf)

function factsOf(text: string, settings: Partial<DeviceFacts> = {}, now = at('31T00')) {
  const { deviceDays } = read(text)
  const options = { tills: tillsOf(text, settings), deviceDays, time, now: Date.parse(now), decimals: 2 }
  return dayFacts('2026-03-14', options)
}

/** Returns the status, the tills that are awaited, and the missing numbers. */
const stateOf = (facts: ReturnType<typeof factsOf>, now = at('31T00')) =>
  [
    nextDay(facts, undefined, Date.parse(now)).status,
    ...facts.waitingFor.map(({ deviceName, deviceId }) => deviceName ?? deviceId),
    ...facts.missingReports.map(({ deviceName, reportNumber }) => `${deviceName}:${reportNumber}`),
  ].join(' ')

test('a business day is complete when every active till has closed it and nothing is missing', () => {
  for (const [text = '', state] of rowsOf(`
    C1:7@14T22 ; complete
    C1:7@13T22 ; open C1
    C1:7@14T05 ; complete
    # The Z of the night belongs to the day before; a later Z closes the day too.
    C1:6@13T22 C1:7@15T04 ; complete
    C1:7@13T22 C1:8@15T05 ; complete
    # A till that made two on one of the 13 days before has not closed the day with the first.
    C1:5@01T14 C1:6@01T22 C1:7@14T14 ; open C1
    C1:5@13T14 C1:6@13T22 C1:7@14T14 C1:8@14T22 ; complete
    C1:5@13T14 C1:6@13T22 C1:7@14T14 C1:8@15T14 ; complete
    # Active for 13 days, then idle; a day without an active till is not complete.
    C1:7@01T22 ; open C1
    C1:7@01T04 ; closed
    C1:7@01T04 C2:1@14T22 ; complete
    # Numbers skipped before the Z of the day, or before the next; a lower number begins again.
    C1:7@13T22 C1:9@14T22 ; closed C1:8
    C1:7@13T22 C1:10@15T22 ; closed C1:8 C1:9
    # In the order of their closing, then of their numbers, however they arrive.
    C1:9@14T22 C1:7@13T22 ; closed C1:8
    C1:9@14T22 C1:6@12T22 C1:7@13T22 ; closed C1:8
    C1:9@14T22 C1:7@14T22 ; closed C1:8
    C1:7@14T22 C1:9@14T22 ; closed C1:8
    C1:7@13T22 C1:1@14T22 ; complete
    C1:7@13T22 C1:8@14T22 C1:10@15T22 ; complete
    # Three reports, none of which is consecutive, are numbered otherwise; those up to 14 days away count.
    C1:12@12T22 C1:14@13T22 C1:16@14T22 C1:17@28T22 ; closed C1:15
    C1:12@12T22 C1:14@13T22 C1:16@14T22 C1:17@29T22 ; complete
    C1:10@12T22 C1:20@13T22 C1:30@14T22 ; complete
    C1:10@12T22 C1:11@13T22 C1:13@14T22 ; closed C1:12
    # Orders without a Z: the till has not closed the day, or its next Z lacks them.
    C1:7@14T22/d1 d1=14!1 ; open C1
    C1:7@14T22/d1 C1:8@15T22/d1 d1=14!1 ; closed
    C1:7@14T22/d1 d1=14 ; complete
    C1:7@14T22?m ; closed
    C1:7@14T22?mo ; closed
    C1:7@14T22?ox ; closed
    C1:7@14T22/d1 C1:8@15T22/d1?x d1=14!1 ; closed
    C1:7@13T22/d1 C1:9@15T22/d1 d1=14!1 ; closed C1:8
    # A device without a till, and its promise to the end of the day, with all orders or without one.
    d9=14 ; open d9
    d9=14 d9~15T05 ; complete
    # Orders of a device without any Z are in none, and not unreported.
    d9=14!1 d9~15T05 ; complete
    d9=14 d9~15T04 ; open d9
    d9=14 d9~15T05!1 ; open d9
    C1:7@14T22 d9=14 ; open d9
    C1:7@14T22/d9 d9=14 ; complete
  `))
    assert.equal(stateOf(factsOf(text)), state, text)
  assert.equal(stateOf(factsOf('C1:7@13T22 C1:9@14T22', { reportNumbers: 'any' })), 'complete')
  for (const [now, state] of [
    [at('15T04'), 'open'],
    [at('15T05'), 'complete'],
  ] as const)
    assert.equal(stateOf(factsOf('C1:7@14T22', {}, now), now), state)
})

test('a till out of service is not expected until it is seen on a later day', () => {
  for (const [text = '', retired = '', state] of rowsOf(`
    C1:7@13T22 C2:1@14T22 ; C1 13 ; complete
    C1:7@12T22 C2:1@14T22 ; C1 13 ; complete
    C1:7@13T22 C2:1@14T22 ; C1 12 ; open C1
    C1:7@13T22 C2:1@14T22 ; C1 20 ; complete
    d9=13 C2:1@14T22 ; d9 13 ; complete
    # Its own orders of the day lack a Z.
    C1:7@13T22/d1 d1=14!1 C2:1@14T22 ; C1 14 ; closed
    C1:7@13T22 C2:1@14T22 ; C2 14 ; open C1
  `)) {
    const [name = '', day] = retired.split(' ')
    const facts = factsOf(text, { retired: { [name]: `2026-03-${day}` } })
    assert.equal(stateOf(facts), state, text)
  }
})

test('a day has its sums, its reports in order of closing, and its missing orders', () => {
  const facts = factsOf('C2:3@14T21?x C1:7@14T20/d1?mu C1:8@14T22?o C1:9@15T22?m d1=14!2 d2=14 d1=13')
  assert.deepEqual(facts.sales, { orders: 2, salesInclTax: 2200, tax: 200, salesExclTax: 2000 })
  const reports = facts.reports.map(
    ({ deviceName, reportNumber, verdict }) => `${deviceName} ${reportNumber} ${verdict}`,
  )
  assert.deepEqual(reports, ['C1 7 unbalanced', 'C2 3 balanced', 'C1 8 balanced'])
  assert.deepEqual([facts.startsAt, facts.endsAt, facts.balanced], [at('14T05'), at('15T05'), false])
  assert.deepEqual(facts.orders, { missing: ['m'], open: ['o'], extra: ['x'], unreported: 2 })
  assert.deepEqual([factsOf('C1:7@13T22').balanced, factsOf('C1:7@14T22').balanced], [null, true])
})

test('a day keeps its event until it changes, and counts its revisions', () => {
  const [facts, later] = [factsOf('C1:7@14T22'), factsOf('C1:7@14T22 d1=14')]
  const now = Date.parse(at('31T00'))
  const first = nextDay(facts, undefined, now)
  assert.deepEqual([first.status, first.revision], ['complete', 0])
  assert.equal(nextDay(facts, first, now), first)
  const second = nextDay(later, first, now)
  assert.deepEqual([second.status, second.revision, second.isComplete], ['revised', 1, false])
  assert.deepEqual([nextDay(facts, second, now).revision, nextDay(facts, second, now).isComplete], [2, true])
  // An earlier version announced fewer members.
  const { waitingFor: _, ...fewer } = first
  assert.equal(nextDay(facts, fewer as typeof first, now), fewer)
})

test('everything has arrived up to the last Z of a till before a gap, and up to that of the earliest active till', () => {
  for (const [text = '', until] of rowsOf(`
    C1:7@13T22 C1:8@14T22 ; 14T22
    C1:7@13T22 C1:9@14T22 ; 13T22
    C1:6@12T22 C1:7@13T22?m C1:8@14T22 ; 12T22
    C1:7@14T22?o ; null
    C1:7@14T22 C2:3@13T22 ; 13T22
    # An idle till does not count; a device without a Z does.
    C1:7@14T22 C2:3@01T04 ; 14T22
    C1:7@14T22 d9=14 ; null
    # A later promise, an earlier one, and one with a missing order.
    C1:7@13T22/C1 C1~14T10 ; 14T10
    C1:7@13T22/C1 C1~13T10 ; 13T22
    C1:7@13T22/C1 C1~14T10!1 ; 13T22
  `)) {
    const { completeUntil } = completenessOf(tillsOf(text), [], '2026-03-14')
    assert.equal(completeUntil, until === 'null' ? null : at(until as string), text)
  }
})

test('devices are listed with state, time, basis and missing numbers, by name, active ones first', () => {
  const known = [
    { id: 'D3', name: 'Bar' },
    { id: 'D2', name: 'Tablet' },
  ] as never
  const text =
    'C1:7@12T22/d1?o C1:8@13T22/d2?m C1:11@14T20/d2 d9=01 d2=14 C2:1@13T22/c2 c2~14T10 c2~14T11!3 C5:1@13T22 d1=12'
  const settings = { known, retired: { C5: '2026-03-14' } }
  const { devices } = completenessOf(tillsOf(text, settings), known, '2026-03-15')
  const texts = devices.map((one) => {
    const { deviceId, deviceName, state, completeUntil, basis, lastSeenAt, reportedBy, missingReports: numbers } = one
    const times = [completeUntil, basis, lastSeenAt].map((value) => value?.replace(/^2026-03-(.{5}).*/, '$1') ?? '-')
    return [
      deviceId ?? '-',
      deviceName ?? '-',
      state,
      ...times,
      reportedBy ?? '-',
      numbers,
      one.missingOrders,
      one.openOrders,
    ].join(' ')
  })
  assert.deepEqual(texts, [
    // Orders of two devices are in the Zs of C1, so it is the till of neither device.
    'd1 - active - - 14T20 C1  0 0',
    '- C1 active - - 14T20 - 9,10 1 1',
    'c2 C2 active 14T10 status 14T11 -  3 0',
    'd2 Tablet active - - 14T20 C1  0 0',
    'd9 - idle - - 01T12 -  0 0',
    'd3 Bar idle - - - -  0 0',
    '- C5 retired 13T22 report 13T22 -  0 0',
  ])
})

test('a day is derived from the 15 days before and after it, and from the next Z of each till', () => {
  const facts = read('C1:4@19T22 C1:3@18T22 C1:2@17T22 C1:1@01T22 C2:9@18T22 C3:5@20T22 d1=01 d1=02 d1=03', {
    known: [{ id: 'X', name: 'C3' }] as never,
  })
  const { checks, deviceDays } = factsByDay(facts)('2026-03-02')
  assert.deepEqual(
    checks.map(({ reportId }) => reportId),
    ['C1 1', 'C1 2', 'C1 3', 'C3 5'],
  )
  assert.deepEqual(
    deviceDays.map(({ day }) => day),
    ['2026-03-01', '2026-03-02'],
  )
})

test('a till is identified by the identifier of its Z, otherwise by its name in the list of devices, otherwise as the only device', () => {
  const id = 'ABCDEFAB-0000-4000-8000-00000000000A'
  const lower = id.toLowerCase()
  const named = { id, name: 'C1' }
  for (const [text, identifier, known, expected] of [
    ['C1:7@13T22/d1', id, [], [`${lower} C1 ${lower}`]],
    ['C1:7@13T22/d1 d1=13', id, [], [`${lower} C1 ${lower},d1`]],
    ['C1:7@13T22/d1', null, [named], [`${lower} C1 ${lower}`]],
    ['C1:7@13T22/d1', 'POS 1', [], ['d1 C1 d1']],
    ['C1:7@13T22/d1', null, [named, { id: 'D2', name: 'C1' }], ['d1 C1 d1', `${lower} C1 ${lower}`, 'd2 C1 d2']],
    ['C1:7@12T22/d1 C1:8@13T22/d2', null, [{ id: 'D2', name: 'C2' }], ['null C1 d2']],
    ['C1:7@13T22', null, [], ['null C1 ']],
    // A device belongs to the till whose Z last named its orders.
    ['C2:2@11T22/d4 C2:3@13T22/d1 C1:6@11T22/d3 C1:7@12T22/d1 d1=13', null, [], ['null C2 d1', 'null C1 ']],
    ['C1:6@11T22/d3 C1:7@12T22/d1 C2:2@10T22/d4 C2:3@13T22/d1 d1=13', null, [], ['null C2 d1', 'null C1 ']],
    ['C1:6@11T22/d3 C1:7@13T22/d1 C2:2@12T22/d1 C2:3@12T23/d4 d1=13', null, [], ['null C1 d1', 'null C2 ']],
  ] as const) {
    const facts = read(text)
    const checks = facts.checks.map((one) => {
      return identifier === null ? one : { ...one, deviceIdentifier: identifier, till: identifier.toLowerCase() }
    })
    const tills = findTills({ ...facts, checks, known: known as never }, time.dayOf)
    const texts = tills.map(
      ({ deviceId, deviceName, deviceIds }) => `${deviceId} ${deviceName} ${[...deviceIds].join(',')}`,
    )
    assert.deepEqual(texts.toSorted(), [...expected].toSorted(), text)
  }
})

test('orders without the id of a Z are not unreported if a Z lists them', () => {
  const text = 'C1:7@14T22/d1 d1=14!1'
  for (const [orders, state] of [
    [0, 'open C1'],
    [1, 'complete'],
  ] as const) {
    const adopted = orders === 0 ? [] : [{ deviceId: 'd1', day: '2026-03-14', orders }]
    const checks = read(text).checks.map((one) => ({ ...one, adopted }))
    assert.equal(stateOf(factsOf(text, { checks })), state)
  }
})

test('each gap is listed once, with the reports before and after it, in order of closing', () => {
  const tills = tillsOf('C1:7@12T22 C1:9@14T22 C2:1@12T22 C2:2@13T21 C2:5@13T22')
  for (const days of [
    ['2026-03-13', '2026-03-14'],
    ['2026-03-14', '2026-03-13'],
  ]) {
    const texts = gapsOf(days, () => tills, time).map((gap) => {
      return `${gap.deviceName} ${gap.before.reportNumber} ${gap.after.reportNumber} ${gap.numbers.join(',')}`
    })
    assert.deepEqual(texts, ['C2 2 5 3,4', 'C1 7 9 8'])
  }
})
