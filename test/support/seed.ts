import fc from 'fast-check'

/**
 * Properties draw the same cases in every run of `npm test`, so that a run tells of the change and not of its luck.
 * `TILLGATE_TEST_SEED=random` draws new ones, and a number those of a run that failed: fast-check prints it.
 */
const wanted = process.env.TILLGATE_TEST_SEED ?? '20261122'
if (wanted !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) })
