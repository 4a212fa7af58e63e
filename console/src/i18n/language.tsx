import { createContext, use, useContext, useEffect, useMemo, useState, type ReactNode } from 'react'
import { readStored, store } from '../stored.ts'
import type { Dictionary } from './en.ts'

export type Language = 'en' | 'fr'

export const languages: Record<Language, string> = { en: 'English', fr: 'Français' }

const storageName = 'tillgate-language'

const load: Record<Language, () => Promise<Dictionary>> = {
  en: async () => (await import('./en.ts')).en,
  fr: async () => (await import('./fr.ts')).fr,
}

const loading = new Map<Language, Promise<Dictionary>>()

function dictionaryOf(language: Language): Promise<Dictionary> {
  const known = loading.get(language) ?? load[language]()
  loading.set(language, known)
  return known
}

function chosen(): Language {
  const stored = readStored(storageName)
  if (stored === 'en' || stored === 'fr') return stored
  return navigator.language.startsWith('fr') ? 'fr' : 'en'
}

type Texts = { language: Language; t: Dictionary; choose: (language: Language) => void }

const LanguageContext = createContext<Texts | null>(null)

function useTexts(): Texts {
  const texts = useContext(LanguageContext)
  if (texts === null) throw new Error('outside of a language')
  return texts
}

/** Returns the texts of the console in the selected language. */
export const useT = (): Dictionary => useTexts().t

export const useLanguage = (): Language => useTexts().language

export const useChooseLanguage = () => useTexts().choose

/** Loads the dictionary of the language; shows nothing until then. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(chosen)
  const t = use(dictionaryOf(language))
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const texts = useMemo(() => {
    const choose = (next: Language) => {
      store(storageName, next)
      setLanguage(next)
    }
    return { language, t, choose }
  }, [language, t])
  return <LanguageContext value={texts}>{children}</LanguageContext>
}
