import { Type } from 'typebox'
import type { ConfigOf } from '../../core/config.ts'
import { setting } from '../../core/settings/setting.ts'

/**
 * Limits what sources may use on this machine, for the process that reads sources. Rows of the database name only
 * references.
 */
export const sources = {
  sourceSecretsDir: setting({
    group: 'Sources',
    env: 'TILLGATE_SOURCE_SECRETS_DIR',
    flag: '--source-secrets-dir <dir>',
    schema: Type.String({ pattern: '^/.*[^/]$' }),
    must: 'an absolute path',
    default: '/run/secrets/tillgate',
    help: 'Directory with the secrets of sources; sources cannot use files elsewhere. Do not keep other secrets in it.',
  }),
  sourceUrls: setting({
    group: 'Sources',
    env: 'TILLGATE_SOURCE_URLS',
    flag: '--source-urls <url...>',
    schema: Type.Array(Type.String({ pattern: '^https?://[^/?#\\s@]+/?$' })),
    must: 'addresses such as https://sandbox.example',
    default: [],
    defaultText: 'only the URL of the point-of-sale system',
    example: 'https://connect.squareupsandbox.com',
    help: 'URLs that a source may use instead of the URL of its system; separate them with commas, or repeat the flag.',
  }),
} as const

declare module '../../core/config.ts' {
  interface ModuleConfig extends ConfigOf<typeof sources> {}
}
