import assert from 'node:assert/strict'
import { test } from 'node:test'
import { historyHolds, type History, type Look, type Push } from '../support/matrix/history.ts'

const locationId = 'a'

/** Two orders, each pushed twice; the second push of `y` has no answer. */
const pushes: Push[] = [
  { locationId, id: 'x', v: 1, begin: 0, end: 10, sequence: 1 },
  { locationId, id: 'y', v: 1, begin: 20, end: 30, sequence: 2 },
  { locationId, id: 'x', v: 2, begin: 40, end: 60, sequence: 3 },
  { locationId, id: 'y', v: 2, begin: 70, end: null, sequence: null },
]
const journals = new Map([
  [
    locationId,
    new Map([
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
    ]),
  ],
])

const look = (changes: Partial<Look>): Look => ({
  locationId,
  what: 'order',
  begin: 31,
  end: 39,
  told: 2,
  least: null,
  isAll: false,
  versions: [{ id: 'x', v: 1 }],
  ...changes,
})

const faultsOf = (looks: Look[], changes: Partial<History> = {}) => [
  ...historyHolds({ pushes, looks, journals, ...changes }),
]

test('a history in which every answer was true has no fault', () => {
  const looks = [
    look({}),
    // Asked for while the second version was under way: both answers are true.
    look({ begin: 45, end: 55, told: 2 }),
    look({ begin: 45, end: 56, told: 3, versions: [{ id: 'x', v: 2 }] }),
    look({
      what: 'list',
      isAll: true,
      begin: 61,
      end: 69,
      told: 3,
      versions: [
        { id: 'x', v: 2 },
        { id: 'y', v: 1 },
      ],
    }),
    look({ what: 'feed', begin: 61, end: 69, told: null, versions: [{ id: 'x', v: 1 }] }),
    look({ begin: 80, end: 90, told: 4, least: 4, versions: [{ id: 'y', v: 2 }] }),
  ]
  assert.deepEqual(faultsOf(looks), [])
})

const planted: [name: string, looks: Look[], expected: RegExp, changes?: Partial<History>][] = [
  ['a read that is behind an acknowledged push', [look({ begin: 61, end: 65, told: null })], /2 was known before/],
  [
    'a read that is behind another read',
    [look({ begin: 41, end: 45, told: null, versions: [{ id: 'x', v: 2 }] }), look({ begin: 46, end: 48, told: null })],
    /2 was known before/,
  ],
  [
    'a read that is behind a delivery',
    [
      look({ what: 'delivery', begin: 41, end: 45, told: null, versions: [{ id: 'x', v: 2 }] }),
      look({ begin: 46, end: 48, told: null }),
    ],
    /2 was known before/,
  ],
  ['an order that is gone', [look({ versions: [{ id: 'x', v: 0 }], told: null })], /showed version 0 of x/],
  ['a version that nobody had begun', [look({ versions: [{ id: 'x', v: 2 }], told: null })], /nobody had begun/],
  ['a number that promises more than is shown', [look({ begin: 45, end: 55, told: 3 })], /told 3 and showed version 1/],
  ['an answer below the number that was asked for', [look({ least: 3 })], /told 2 where at least 3/],
  [
    'a page that is no cut',
    [look({ what: 'list', isAll: true, begin: 45, end: 58, told: null, versions: [{ id: 'x', v: 2 }] })],
    /no cut through the journal/,
    { pushes: pushes.filter(({ id }) => id === 'x') },
  ],
  [
    'a push that got a number which was known before it began',
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
