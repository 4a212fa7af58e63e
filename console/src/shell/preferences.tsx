import { useState } from 'react'
import { languages, useChooseLanguage, useLanguage, useT, type Language } from '../i18n/language.tsx'
import { Choose } from '../parts/filters.tsx'

type Theme = 'system' | 'light' | 'dark'

const storageName = 'tillgate-theme'

function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  try {
    if (theme === 'system') localStorage.removeItem(storageName)
    else localStorage.setItem(storageName, theme)
  } catch {
    // Then it applies to this page only.
  }
}

export function ThemeChoice() {
  const { shell } = useT()
  const [theme, setTheme] = useState(currentTheme)
  const choose = (next: Theme) => {
    applyTheme(next)
    setTheme(next)
  }
  const { system, light, dark } = shell.themes
  return (
    <Choose
      label={shell.theme}
      value={theme}
      choices={[
        ['system', system],
        ['light', light],
        ['dark', dark],
      ]}
      onChange={choose}
    />
  )
}

export function LanguageChoice() {
  const { shell } = useT()
  const language = useLanguage()
  const choose = useChooseLanguage()
  return (
    <Choose
      label={shell.language}
      value={language}
      choices={Object.entries(languages) as [Language, string][]}
      onChange={choose}
    />
  )
}
