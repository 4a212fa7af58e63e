import { useQueryClient } from '@tanstack/react-query'
import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import type { Event } from '@tillgate/client'
import { PauseContext } from '../api/pause.ts'
import { Problem } from '../api/problem.ts'
import { send } from '../api/request.ts'
import { useLocationId, useScope } from '../api/session.tsx'
import { createRefresher } from './refresh.ts'
import { readStream } from './stream.ts'

export type LiveState = 'live' | 'paused' | 'reconnecting' | 'off'

type Live = {
  state: LiveState
  /** Journal number of the newest event known to this page. */
  sequence: number | null
  toggle: () => void
  subscribe: (listener: (event: Event) => void) => () => void
}

const LiveContext = createContext<Live | null>(null)

export function useLive(): Live {
  const live = useContext(LiveContext)
  if (live === null) throw new Error('outside of the live stream')
  return live
}

/** `sequence` is the position of the reading tab; null while it does not read. */
type Message = { event: Event } | { state: LiveState; sequence: number | null } | { ask: true }

const reconnectMs = 2000

const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

async function headOf(location: string | null, signal: AbortSignal): Promise<number> {
  const call = { path: '/v1/journal/head' } as const
  return (await send<{ sequence: number }>(call, { location, signal })).data.sequence
}

/**
 * Reads the only stream of this browser and passes it to the other tabs, until `signal`. It always begins at a number,
 * so that nothing is missing after an interruption, or after another tab was the leader.
 */
async function lead(
  location: string | null,
  from: number | null,
  signal: AbortSignal,
  post: (message: Message) => void,
): Promise<void> {
  let after = from
  while (!signal.aborted) {
    let pauseMs = reconnectMs
    try {
      after ??= await headOf(location, signal)
      const cursor = after
      await readStream(location, cursor, signal, {
        open: () => post({ state: 'live', sequence: cursor }),
        event: (event) => {
          after = event.sequence
          post({ event })
        },
      })
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Problem && error.status >= 400 && error.status < 429) {
        post({ state: 'off', sequence: null })
        return
      }
      if (error instanceof Problem) pauseMs = Math.max(pauseMs, (error.retryAfterS ?? 0) * 1000)
      post({ state: 'reconnecting', sequence: null })
    }
    await wait(pauseMs, signal)
  }
}

/** Follows the leader among the tabs, or leads: over HTTP/1.1 a browser has six connections for all tabs. */
function follow(location: string | null, last: () => number | null, onMessage: (message: Message) => void): () => void {
  const ending = new AbortController()
  const name = `tillgate-live-${location ?? 'own'}`
  const channel = new BroadcastChannel(name)
  let ledState: LiveState | null = null
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (!('ask' in data)) onMessage(data)
    else if (ledState !== null) channel.postMessage({ state: ledState, sequence: last() } satisfies Message)
  })
  const post = (message: Message) => {
    if ('state' in message) ledState = message.state
    onMessage(message)
    channel.postMessage(message)
  }
  channel.postMessage({ ask: true } satisfies Message)
  // Without locks, as over plain http on a LAN, each tab reads for itself.
  const led = navigator.locks
    ? navigator.locks.request(name, { signal: ending.signal }, () => lead(location, last(), ending.signal, post))
    : lead(location, last(), ending.signal, onMessage)
  led.catch(() => undefined)
  return () => {
    ending.abort()
    channel.close()
  }
}

function useVisible(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden)
  useEffect(() => {
    const onChange = () => setVisible(!document.hidden)
    document.addEventListener('visibilitychange', onChange)
    return () => document.removeEventListener('visibilitychange', onChange)
  }, [])
  return isVisible
}

export function LiveProvider({ children }: { children: ReactNode }) {
  const location = useLocationId()
  const reads = useScope('read')
  const queries = useQueryClient()
  const isVisible = useVisible()
  const [isPaused, setPaused] = useState(false)
  const [state, setState] = useState<LiveState>('reconnecting')
  const [sequence, setSequence] = useState<number | null>(null)
  // The position to continue from after a pause.
  const last = useRef<number | null>(null)
  const listeners = useRef(new Set<(event: Event) => void>())
  const subscribe = useCallback((listener: (event: Event) => void) => {
    listeners.current.add(listener)
    return () => listeners.current.delete(listener)
  }, [])
  const isOn = reads && isVisible && !isPaused

  useEffect(() => {
    if (!isOn) return undefined
    const refresher = createRefresher(queries, location)
    const stop = follow(
      location,
      () => last.current,
      (message) => {
        if ('ask' in message) return
        setState('event' in message ? 'live' : message.state)
        if (!('event' in message)) {
          last.current ??= message.sequence
          // Refused, for example because the session ended: the next request of a screen shows it.
          if (message.state === 'off') void queries.invalidateQueries({ queryKey: ['v1', location] })
          return
        }
        setSequence(message.event.sequence)
        last.current = message.event.sequence
        for (const listener of listeners.current) listener(message.event)
        refresher.onEvent(message.event)
      },
    )
    return () => {
      stop()
      refresher.stop()
    }
  }, [isOn, location, queries])

  const live = useMemo<Live>(
    () => ({
      state: !reads ? 'off' : isPaused ? 'paused' : state,
      sequence,
      toggle: () => setPaused((paused) => !paused),
      subscribe,
    }),
    [reads, isPaused, state, sequence, subscribe],
  )
  return (
    <LiveContext value={live}>
      <PauseContext value={isPaused}>{children}</PauseContext>
    </LiveContext>
  )
}
