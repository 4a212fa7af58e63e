export const locationScopes = ['read', 'webhooks', 'ingest', 'books'] as const

/**
 * `admin` belongs to the installation and gives access only to `/v1/admin/`, `/v1/console/` and `/v1/keys/own`: a key
 * with it has no other scope and no location.
 */
export const scopes = [...locationScopes, 'admin'] as const

export type Scope = (typeof scopes)[number]
