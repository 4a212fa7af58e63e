import { Type } from 'typebox'
import { setting } from './setting.ts'

/** For a server that terminates HTTPS itself, without a proxy. */
export const tls = {
  tlsCert: setting({
    group: 'HTTP',
    env: 'TILLGATE_TLS_CERT',
    flag: '--tls-cert <file>',
    schema: Type.String({ minLength: 1 }),
    must: 'the path of a file',
    default: null,
    defaultText: 'none: HTTP',
    example: '/etc/tillgate/tls/fullchain.pem',
    help: 'TLS certificate with its chain, in PEM format; enables HTTPS. Reloaded on SIGHUP.',
  }),
  tlsKey: setting({
    group: 'HTTP',
    env: 'TILLGATE_TLS_KEY',
    flag: '--tls-key <file>',
    schema: Type.String({ minLength: 1 }),
    must: 'the path of a file',
    default: null,
    defaultText: 'none',
    example: '/etc/tillgate/tls/privkey.pem',
    help: 'Private key of --tls-cert, in PEM format without a passphrase.',
  }),
} as const
