let operations: ReadonlySet<string> = new Set()

/**
 * Stores the operations that the server reports at sign-in. The module of a screen may be loaded before: it reads them
 * when it is rendered.
 */
export const setOffers = (paths: readonly string[]): void => void (operations = new Set(paths))

/**
 * Whether the server has an operation, by its path in the API's description. Operations that would always fail, for
 * example of a module that is off, are not shown.
 */
export const offers = (path: `/v1/${string}`): boolean => operations.has(path)
