import { useEffect, useState, type ReactNode } from 'react'
import { useT } from '../i18n/language.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, loadDialogs } from '../parts/dialog.tsx'
import { EndNote } from './end-note.tsx'
import { LiveMark } from './live-mark.tsx'
import { LocationChoice } from './location-choice.tsx'
import { Menu } from './menu.tsx'
import { Navigation, PlaceTabs } from './navigation.tsx'
import { OfflineNote } from './offline-note.tsx'
import { Search } from './search.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { UrlNote } from './url-note.tsx'
import { Icon } from './icon.tsx'
import styles from './shell.module.css'

/** Dialogs are loaded after this time, because the figures of the first screen come first. */
const dialogsAfterMs = 1000

export function Shell({ children }: { children: ReactNode }) {
  const { shell } = useT()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [areShortcutsOpen, setShortcutsOpen] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => void loadDialogs(), dialogsAfterMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className={styles.shell}>
      <a href="#main" className={styles.skip}>
        {shell.skip}
      </a>
      <header className={styles.bar}>
        <div className={styles.menuButton}>
          <Button kind="quiet" onClick={() => setMenuOpen(true)} aria-label={shell.openMenu}>
            <Icon path="M3 5h14M3 10h14M3 15h14" />
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
