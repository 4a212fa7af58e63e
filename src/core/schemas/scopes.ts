/** A key of a location may have these scopes. */
export const locationScopes = ['read', 'webhooks', 'ingest', 'books'] as const

/** `admin` is of the installation, and for `/v1/admin/` only: a key with it has no other scope and no location. */
export const scopes = [...locationScopes, 'admin'] as const

export type Scope = (typeof scopes)[number]
