import fc from 'fast-check'

/**
 * Properties use the same cases in every run of `npm test`, so that a failure is caused by the change and not by
 * chance. `TILLGATE_TEST_SEED=random` draws new cases; the seed that fast-check printed repeats a failed run. A
 * property is limited by a count and never by time (`interruptAfterTimeLimit`): fast-check continues without the
 * interrupted case, which may still be writing while the test reads the stored data.
 */
const wanted = process.env.TILLGATE_TEST_SEED ?? '20261122'
if (wanted !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) })

/** For random choices outside of properties. */
export const testSeed = wanted === 'random' ? Date.now() % 1_000_000 : Number(wanted)

/**
 * Returns the number of cases of a long property: a fifth of the number in `npm run check -- endurance`, which sets
 * `TILLGATE_TEST_RUNS=5`.
 */
export const runsOf = (n: number): number => n * Number(process.env.TILLGATE_TEST_RUNS ?? '1')
