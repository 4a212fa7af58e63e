import fc from 'fast-check'

/**
 * Properties draw the same cases in every run of `npm test`, so that a failure is caused by the change and not by
 * chance. `TILLGATE_TEST_SEED=random` draws new ones, and a number those of a failed run: fast-check prints it. For the
 * same reason a property is bounded by a count and never by time (`interruptAfterTimeLimit`): fast-check continues
 * without the case that it interrupted, which may still be writing while the test reads what is stored.
 */
const wanted = process.env.TILLGATE_TEST_SEED ?? '20261122'
if (wanted !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) })

/** For choices that no property makes. */
export const testSeed = wanted === 'random' ? Date.now() % 1_000_000 : Number(wanted)

/**
 * How many cases a long property draws: a fifth of the number in `npm run check -- endurance`, which sets
 * `TILLGATE_TEST_RUNS=5`.
 */
export const runsOf = (n: number): number => n * Number(process.env.TILLGATE_TEST_RUNS ?? '1')
