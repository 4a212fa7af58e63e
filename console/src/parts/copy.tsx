import { useState, useSyncExternalStore } from 'react'
import { toCurl } from '../api/curl.ts'
import { Problem } from '../api/problem.ts'
import type { Call } from '../api/request.ts'
import { useSession } from '../api/session.tsx'
import { useT } from '../i18n/language.tsx'
import { Button } from './button.tsx'
import { announce } from './announcer.tsx'
import { readStored, store } from '../stored.ts'

type CopyProps = { text: string | (() => Promise<string>); label: string; kind?: 'quiet' | 'plain' }

/** Copies a text and confirms it for a moment. */
export function Copy({ text, label, kind = 'quiet' }: CopyProps) {
  const { common, errors, problems } = useT()
  const [said, setSaid] = useState<string | null>(null)
  const whyNot = (error: unknown) => {
    if (!(error instanceof Problem)) return common.copyFailed
    if (error.isOffline) return errors.offlineTitle
    return (problems as Partial<Record<string, readonly [string, string]>>)[error.code]?.[0] ?? error.title
  }
  const show = (words: string) => {
    setSaid(words)
    announce(words)
    setTimeout(() => setSaid(null), 2500)
  }
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text())
      show(common.copied)
    } catch (error) {
      show(whyNot(error))
    }
  }
  return (
    <Button kind={kind} onClick={() => void copy()}>
      {said ?? label}
    </Button>
  )
}

const storageName = 'tillgate-requests'

const listeners = new Set<() => void>()

let kept: string | null | undefined

const readKept = () => (kept ??= readStored(storageName))

/**
 * Whether requests are offered for a terminal, and the function that toggles this; null for a read-only link, whose
 * users have neither key nor terminal. Initially on for integrators, and for users who signed in with a key.
 */
export function useRequests(): { areShown: boolean; toggle: () => void } | null {
  const { kind, role, scopes } = useSession()
  const chosen = useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, readKept)
  if (kind === 'link' && !scopes.includes('webhooks') && !scopes.includes('admin')) return null
  const areShown = chosen === null ? kind === 'key' || role === 'integrator' : chosen === 'on'
  const toggle = () => {
    kept = areShown ? 'off' : 'on'
    store(storageName, kept)
    for (const listener of listeners) listener()
  }
  return { areShown, toggle }
}

/** The screen's request for a terminal. Its key is a variable. */
export function CopyCurl({ call }: { call: Call }) {
  const { common } = useT()
  const { server } = useSession()
  if (useRequests()?.areShown !== true) return null
  return <Copy text={toCurl(call, server.baseUrl)} label={common.copyCurl} />
}
