import { useState, type ReactNode } from 'react'
import { useT } from '../i18n/language.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { EndNote } from './end-note.tsx'
import { LiveMark } from './live-mark.tsx'
import { LocationChoice } from './location-choice.tsx'
import { Menu } from './menu.tsx'
import { Navigation, PlaceTabs } from './navigation.tsx'
import { OfflineNote } from './offline-note.tsx'
import { Search } from './search.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { UrlNote } from './url-note.tsx'
import styles from './shell.module.css'

export function Shell({ children }: { children: ReactNode }) {
  const { shell } = useT()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [areShortcutsOpen, setShortcutsOpen] = useState(false)
  return (
    <div className={styles.shell}>
      <a href="#main" className={styles.skip}>
        {shell.skip}
      </a>
      <header className={styles.bar}>
        <div className={styles.menuButton}>
          <Button kind="quiet" onClick={() => setMenuOpen(true)} aria-label={shell.openMenu}>
            <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
              <path d="M3 5h14M3 10h14M3 15h14" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
            </svg>
          </Button>
        </div>
        <span className={styles.brand}>Tillgate</span>
        <LocationChoice />
        <div className={styles.barEnd}>
          <LiveMark />
          <Search />
          <Menu onShortcuts={() => setShortcutsOpen(true)} />
        </div>
      </header>
      <div className={styles.side}>
        <Navigation />
      </div>
      <Dialog title={shell.navigation} place="start" isOpen={isMenuOpen} onClose={() => setMenuOpen(false)}>
        <Navigation onGo={() => setMenuOpen(false)} />
      </Dialog>
      <main className={styles.main} id="main" tabIndex={-1}>
        <UrlNote />
        <EndNote />
        <OfflineNote />
        <PlaceTabs />
        {children}
      </main>
      <Shortcuts isOpen={areShortcutsOpen} onOpen={setShortcutsOpen} />
    </div>
  )
}
