/**
 * The PostgreSQL that npm installs, and its release date: fixes of the server come with a newer package, or with the
 * PostgreSQL of the machine (`TILLGATE_PG_BIN`). Change both when the packages change.
 */
export const bundledRelease = { version: '18.4', releasedOn: '2026-05-14' } as const

/** Days after which a release counts as old: a minor release comes every three months. */
export const oldAfterDays = 190
