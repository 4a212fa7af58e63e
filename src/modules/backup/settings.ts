import { Type } from 'typebox'
import type { ConfigOf } from '../../core/config.ts'
import { setting } from '../../core/settings/setting.ts'

/** What `tillgate backup` encrypts with, as settings for backups that a timer starts: public keys or a passphrase. */
export const backup = {
  recipient: setting({
    group: 'Backup',
    env: 'TILLGATE_BACKUP_RECIPIENT',
    flag: '--recipient <key>',
    // The letters of Bech32; the checksum is verified when something is sealed.
    schema: Type.Array(Type.String({ pattern: '^age1(?:[a-z]+1)?[02-9ac-hj-np-z]{58,}$' })),
    must: 'public age keys, which begin with age1',
    default: [],
    defaultText: 'none',
    example: 'age1qyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqs3290gq',
    secret: true,
    help: 'Public age keys that encrypt every file of a backup except the manifests; separate them with commas, or repeat the flag.',
  }),
  passphraseFile: setting({
    group: 'Backup',
    env: 'TILLGATE_BACKUP_PASSPHRASE_FILE',
    flag: '--passphrase-file <file>',
    schema: Type.String({ minLength: 1 }),
    must: 'the path of a file',
    default: null,
    defaultText: 'none',
    example: '/etc/tillgate/passphrase',
    help: 'File whose first line is the passphrase that encrypts every file of a backup except the manifests.',
  }),
} as const

declare module '../../core/config.ts' {
  interface ModuleConfig extends ConfigOf<typeof backup> {}
}
