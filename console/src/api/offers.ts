let operations: ReadonlySet<string> = new Set()

/** Stores the operations that the server reports at sign-in; screens read them when they are rendered. */
export const setOffers = (paths: readonly string[]): void => void (operations = new Set(paths))

/** Whether the server has an operation; one that would always fail, because its module is off, is not shown. */
export const offers = (path: `/v1/${string}`): boolean => operations.has(path)
