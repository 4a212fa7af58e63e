let operations: ReadonlySet<string> = new Set()

/** Takes over what the server has, as it says when somebody signs in. A file of a screen may be loaded before: it asks while it is shown. */
export const setOffers = (paths: readonly string[]): void => void (operations = new Set(paths))

/** Whether the server has an operation, by its path in the API's description. What would always fail, as of a module that is off, is not shown. */
export const offers = (path: `/v1/${string}`): boolean => operations.has(path)
