/** Paths of the API's description, put in by the build. */
declare const OFFERED_OPERATIONS: readonly string[]

const operations = new Set(OFFERED_OPERATIONS)

/** Whether the server has an operation, by its path in the API's description. What would always fail is not shown. */
export const offers = (path: `/v1/${string}`): boolean => operations.has(path)
