import assert from 'node:assert/strict'
import { test } from 'node:test'
import { historyHolds, type History, type Timeline, type Look, type Push } from '../../support/matrix/history.ts'

const locationId = 'a'

/** Two orders, each pushed twice; the second push of `y` has no response. */
const pushes: Push[] = [
  { locationId, id: 'x', v: 1, begin: 0, end: 10, sequence: 1 },
  { locationId, id: 'y', v: 1, begin: 20, end: 30, sequence: 2 },
  { locationId, id: 'x', v: 2, begin: 40, end: 60, sequence: 3 },
  { locationId, id: 'y', v: 2, begin: 70, end: null, sequence: null },
]
const written = new Map([
  [
    'x',
    [
      { v: 1, seq: 1 },
      { v: 2, seq: 3 },
    ],
  ],
  [
    'y',
    [
      { v: 1, seq: 2 },
      { v: 2, seq: 4 },
    ],
  ],
])
const timeline: Timeline = { from: -Infinity, to: Infinity, numbers: new Set([1, 2, 3, 4]), written }
const timelines = new Map([[locationId, [timeline]]])

const look = (changes: Partial<Look>): Look => ({
  locationId,
  what: 'order',
  begin: 31,
  end: 39,
  seq: 2,
  least: null,
  isAll: false,
  versions: [{ id: 'x', v: 1 }],
  ...changes,
})

const faultsOf = (looks: Look[], changes: Partial<History> = {}) => [
  ...historyHolds({ pushes, looks, refusals: [], timelines, ...changes }),
]

test('a history of correct answers has no fault', () => {
  const looks = [
    look({}),
    // Requested while the second version was being pushed: both responses are correct.
    look({ begin: 45, end: 55, seq: 2 }),
    look({ begin: 45, end: 56, seq: 3, versions: [{ id: 'x', v: 2 }] }),
    look({
      what: 'list',
      isAll: true,
      begin: 61,
      end: 69,
      seq: 3,
      versions: [
        { id: 'x', v: 2 },
        { id: 'y', v: 1 },
      ],
    }),
    look({ what: 'feed', begin: 61, end: 69, seq: null, versions: [{ id: 'x', v: 1 }] }),
    look({ begin: 80, end: 90, seq: 4, least: 4, versions: [{ id: 'y', v: 2 }] }),
  ]
  assert.deepEqual(faultsOf(looks), [])
})

const planted: [name: string, looks: Look[], expected: RegExp, changes?: Partial<History>][] = [
  ['a read that is behind an acknowledged push', [look({ begin: 61, end: 65, seq: null })], /2 was known before/],
  [
    'a read that is behind another read',
    [look({ begin: 41, end: 45, seq: null, versions: [{ id: 'x', v: 2 }] }), look({ begin: 46, end: 48, seq: null })],
    /2 was known before/,
  ],
  [
    'a read that is behind a delivery',
    [
      look({ what: 'delivery', begin: 41, end: 45, seq: null, versions: [{ id: 'x', v: 2 }] }),
      look({ begin: 46, end: 48, seq: null }),
    ],
    /2 was known before/,
  ],
  ['a missing order', [look({ versions: [{ id: 'x', v: 0 }], seq: null })], /showed version 0 of x/],
  ['a version that was never pushed', [look({ versions: [{ id: 'x', v: 2 }], seq: null })], /nobody had begun/],
  ['a sequence ahead of its answer', [look({ begin: 45, end: 55, seq: 3 })], /named 3 and showed version 1/],
  ['an answer below the requested sequence', [look({ least: 3 })], /named 2 where at least 3/],
  [
    'a page with versions of different times',
    [look({ what: 'list', isAll: true, begin: 45, end: 58, seq: null, versions: [{ id: 'x', v: 2 }] })],
    /not a cut through the journal/,
    { pushes: pushes.filter(({ id }) => id === 'x') },
  ],
  [
    'a push with a sequence that was known before it began',
    [],
    /got 1, and 1 was known/,
    { pushes: [...pushes, { locationId, id: 'z', v: 1, begin: 15, end: 18, sequence: 1 }] },
  ],
]

for (const [name, looks, expected, changes] of planted) {
  test(`finds ${name}`, () => {
    const faults = faultsOf(looks, changes)
    assert.ok(
      faults.some((fault) => expected.test(fault)),
      faults.join('\n') || 'nothing was found',
    )
  })
}

/**
 * Between 100 and 110 a replica that lacked 3 and 4 replaced the primary. `x` was pushed again as version 3, and the
 * journal continued at 1,000.
 */
const left: Timeline = { ...timeline, to: 110 }
const begun: Timeline = {
  from: 100,
  to: Infinity,
  numbers: new Set([1, 2, 1_000, 1_001]),
  written: new Map([
    [
      'x',
      [
        { v: 1, seq: 1 },
        { v: 3, seq: 1_001 },
      ],
    ],
    ['y', [{ v: 1, seq: 2 }]],
  ]),
}
const after: Partial<History> = {
  pushes: [...pushes, { locationId, id: 'x', v: 3, begin: 130, end: 140, sequence: 1_001 }],
  timelines: new Map([[locationId, [left, begun]]]),
}
const shown = look({ begin: 65, end: 69, seq: 3, versions: [{ id: 'x', v: 2 }] })

test('after a failover with a loss each answer is checked against the timeline of its time', () => {
  const looks = [
    shown,
    // The response shows entries of the old server, of either, or of the new one.
    look({ begin: 90, end: 95, seq: 4, versions: [{ id: 'y', v: 2 }] }),
    look({ begin: 99, end: 105, seq: 4, versions: [{ id: 'x', v: 2 }] }),
    look({ begin: 101, end: 104, seq: 4, versions: [{ id: 'x', v: 2 }] }),
    look({ begin: 99, end: 105, seq: 2, versions: [{ id: 'x', v: 1 }] }),
    look({ begin: 111, end: 115, seq: 2, versions: [{ id: 'x', v: 1 }] }),
    look({ what: 'delivery', begin: 112, end: 112, seq: null, versions: [{ id: 'x', v: 2 }] }),
    look({ begin: 120, end: 125, seq: 2, versions: [{ id: 'x', v: 1 }] }),
    look({ begin: 141, end: 145, seq: 1_001, least: 1_001, versions: [{ id: 'x', v: 3 }] }),
  ]
  const refusals = [{ locationId, begin: 141, end: 145, least: 3 }]
  assert.deepEqual(faultsOf(looks, { ...after, refusals }), [])
})

const plantedAfter: [name: string, looks: Look[], expected: RegExp, changes?: Partial<History>][] = [
  [
    'lost data that is still returned',
    [look({ begin: 111, end: 115, seq: 4, versions: [{ id: 'y', v: 2 }] })],
    /named 4, which/,
  ],
  [
    'missing data from before the failover',
    [look({ begin: 111, end: 115, seq: null, versions: [{ id: 'y', v: 0 }] })],
    /showed version 0 of y, and 1 was known/,
  ],
  [
    'an older state than was known, while it was in progress',
    [shown, look({ begin: 70, end: 75, seq: 2, versions: [{ id: 'x', v: 1 }] })],
    /showed version 1 of x, and 2 was known/,
  ],
  [
    'an older state than was returned after it',
    [look({ begin: 141, end: 145, seq: null, versions: [{ id: 'x', v: 1 }] })],
    /showed version 1 of x, and 3 was known/,
  ],
  [
    'an answer for a lost sequence without an error',
    [look({ begin: 141, end: 145, seq: 1_001, least: 3, versions: [{ id: 'x', v: 3 }] })],
    /shown for 3, which is gone/,
  ],
  [
    'a sequence that was assigned twice',
    [shown],
    /got 3, and 3 was known/,
    { pushes: [...pushes, { locationId, id: 'x', v: 3, begin: 130, end: 140, sequence: 3 }] },
  ],
  [
    'a refusal of a sequence that still exists',
    [],
    /1001 is refused as gone/,
    { refusals: [{ locationId, begin: 141, end: 145, least: 1_001 }] },
  ],
]

for (const [name, looks, expected, changes] of plantedAfter) {
  test(`finds, after a failover, ${name}`, () => {
    const faults = faultsOf(looks, { ...after, ...changes })
    assert.ok(
      faults.some((fault) => expected.test(fault)),
      faults.join('\n') || 'nothing was found',
    )
  })
}
