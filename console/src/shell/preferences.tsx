import { useState } from 'react'
import { languages, useChooseLanguage, useLanguage, useT } from '../i18n/language.tsx'
import { Choose } from '../parts/filters.tsx'
import { store } from '../stored.ts'

type Theme = 'system' | 'light' | 'dark'

const storageName = 'tillgate-theme'

function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  store(storageName, theme === 'system' ? null : theme)
}

export function ThemeChoice() {
  const { shell } = useT()
  const [theme, setTheme] = useState(currentTheme)
  const choose = (next: Theme) => {
    applyTheme(next)
    setTheme(next)
  }
  return <Choose label={shell.theme} value={theme} choices={shell.themes} onChange={choose} />
}

export function LanguageChoice() {
  const { shell } = useT()
  const language = useLanguage()
  const choose = useChooseLanguage()
  return <Choose label={shell.language} value={language} choices={languages} onChange={choose} />
}
