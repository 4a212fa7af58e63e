/**
 * The PostgreSQL that npm installs, and its release date: fixes of the server come with a newer package, or with the
 * PostgreSQL of the machine (`TILLGATE_PG_BIN`). Change both together with the packages.
 */
export const bundledRelease = { version: '18.4', releasedOn: '2026-05-14' } as const

/** A minor release comes every three months; one older than two of them lacks fixes. */
export const oldAfterDays = 190
