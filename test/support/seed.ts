import fc from 'fast-check'

/**
 * Properties draw the same cases in every run of `npm test`, so that a run tells of the change and not of its luck.
 * `TILLGATE_TEST_SEED=random` draws new ones, and a number those of a run that failed: fast-check prints it. For the
 * same reason a property is bounded by a count and never by time (`interruptAfterTimeLimit`): fast-check goes on without
 * the case that it cut short, which may still be writing while the test looks at what is stored.
 */
const wanted = process.env.TILLGATE_TEST_SEED ?? '20261122'
if (wanted !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) })

/** For choices that no property makes. */
export const testSeed = wanted === 'random' ? Date.now() % 1_000_000 : Number(wanted)

/** How many cases a long property draws: a fifth of what `npm run check -- endurance` asks for by `TILLGATE_TEST_RUNS=5`. */
export const runsOf = (n: number): number => n * Number(process.env.TILLGATE_TEST_RUNS ?? '1')
