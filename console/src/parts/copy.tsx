import { useState } from 'react'
import { toCurl } from '../api/curl.ts'
import type { Call } from '../api/request.ts'
import { useSession } from '../api/session.tsx'
import { useT } from '../i18n/language.tsx'
import { Button } from './button.tsx'
import { announce } from './announcer.tsx'

/** Copies a text and says so, for as long as one looks. */
export function Copy({
  text,
  label,
  kind = 'quiet',
}: {
  text: string | (() => Promise<string>)
  label: string
  kind?: 'quiet' | 'plain'
}) {
  const { common } = useT()
  const [done, setDone] = useState<'yes' | 'no' | null>(null)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text())
      setDone('yes')
      announce(common.copied)
    } catch {
      setDone('no')
      announce(common.copyFailed)
    }
    setTimeout(() => setDone(null), 2500)
  }
  const said = done === 'yes' ? common.copied : common.copyFailed
  return (
    <Button kind={kind} onClick={() => void copy()}>
      {done === null ? label : said}
    </Button>
  )
}

/** The request that the screen made, for a terminal. The key in it is a variable. */
export function CopyCurl({ call }: { call: Call }) {
  const { common } = useT()
  const { server } = useSession()
  return <Copy text={toCurl(call, server.baseUrl)} label={common.copyCurl} />
}
