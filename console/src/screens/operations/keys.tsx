import { useSearch, Link } from '@tanstack/react-router'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Page } from '../../parts/page.tsx'
import styles from '../../parts/tabs.module.css'
import { PasskeyList } from '../../parts/passkey-list.tsx'
import { Audit } from './audit.tsx'
import { KeyDialog, LinkDialog } from './key-dialogs.tsx'
import { KeyList } from './key-list.tsx'
import { SessionList } from './session-list.tsx'
import { useChange } from '../../parts/use-change.ts'

const tabs = ['keys', 'sessions', 'passkeys', 'audit'] as const

/** Access: keys, sessions and links; and the log of changes. */
export function Keys() {
  const { ops: t, screens } = useT()
  const { tab = 'keys', dialog, cursor } = useSearch({ from: '/ops/keys' })
  const change = useChange()
  const open = (name?: 'key' | 'link') => change({ dialog: name })
  return (
    <Page
      title={screens.keys}
      actions={
        <>
          <Button kind="primary" onClick={() => open('key')}>
            {t.makeKey}
          </Button>
          <Button onClick={() => open('link')}>{t.makeLink}</Button>
        </>
      }
    >
      <nav aria-label={screens.keys} className={styles.tabs}>
        {tabs.map((one) => (
          <Link
            key={one}
            to="/ops/keys"
            search={(before: object) => ({ ...before, tab: one, cursor: undefined })}
            className={styles.tab}
            activeOptions={{ includeSearch: true, exact: false }}
            aria-current={one === tab ? 'page' : undefined}
          >
            {t.tabs[one]}
          </Link>
        ))}
      </nav>
      {tab === 'keys' && <KeyList />}
      {tab === 'sessions' && <SessionList />}
      {tab === 'passkeys' && <PasskeyList cursor={cursor} isOfAll />}
      {tab === 'audit' && <Audit />}
      {dialog === 'key' && <KeyDialog onClose={() => open()} />}
      {dialog === 'link' && <LinkDialog onClose={() => open()} />}
    </Page>
  )
}
