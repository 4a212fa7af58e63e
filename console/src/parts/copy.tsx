import { useState } from 'react'
import { toCurl } from '../api/curl.ts'
import { Problem } from '../api/problem.ts'
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
  const { common, errors, problems } = useT()
  const [said, setSaid] = useState<string | null>(null)
  const whyNot = (error: unknown) => {
    if (!(error instanceof Problem)) return common.copyFailed
    if (error.isOffline) return errors.offlineTitle
    return (problems as Partial<Record<string, readonly [string, string]>>)[error.code]?.[0] ?? error.title
  }
  const tell = (words: string) => {
    setSaid(words)
    announce(words)
    setTimeout(() => setSaid(null), 2500)
  }
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text())
      tell(common.copied)
    } catch (error) {
      tell(whyNot(error))
    }
  }
  return (
    <Button kind={kind} onClick={() => void copy()}>
      {said ?? label}
    </Button>
  )
}

/** The request that the screen made, for a terminal. The key in it is a variable. */
export function CopyCurl({ call }: { call: Call }) {
  const { common } = useT()
  const { server, kind, scopes } = useSession()
  // A link that reads alone is for people who have neither key nor terminal.
  if (kind === 'link' && !scopes.includes('webhooks') && !scopes.includes('admin')) return null
  return <Copy text={toCurl(call, server.baseUrl)} label={common.copyCurl} />
}
