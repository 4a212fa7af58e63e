import { createContext, useContext, useMemo, type ReactNode } from 'react'
import type { LocationSettings } from '@tillgate/client'
import { useLocationId, useScope, useSession } from '../api/session.tsx'
import { useApi } from '../api/use-api.ts'
import { useLanguage } from '../i18n/language.tsx'
import { createFormat, type Format } from '../format/format.ts'

const FormatContext = createContext<Format | null>(null)

export function useFormat(): Format {
  const format = useContext(FormatContext)
  if (format === null) throw new Error('outside of a location')
  return format
}

/** Time zone, currency and start of day of the selected location; those of the browser if none is selected. */
export function PlaceProvider({ children }: { children: ReactNode }) {
  const language = useLanguage()
  const location = useLocationId()
  const { locations } = useSession()
  const reads = useScope('read')
  const isKnown = locations.some(({ id }) => id === location)
  const asked = useApi<LocationSettings>(reads && !isKnown ? { path: '/v1/locations/own/settings' } : null)
  const known = locations.find(({ id }) => id === location)
  const settings = asked.data?.data ?? known
  const { timeZone, currency, dayStartsAt = '05:00' } = settings ?? {}
  const format = useMemo(() => {
    const place = {
      timeZone: timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      currency: currency ?? 'EUR',
      dayStartsAt,
    }
    return createFormat(language, place)
  }, [language, timeZone, currency, dayStartsAt])
  return <FormatContext value={format}>{children}</FormatContext>
}
