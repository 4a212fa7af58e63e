import { useQueryClient } from '@tanstack/react-query'
import { readStored, store } from '../stored.ts'
import { ask } from './request.ts'
import { sessionKey, useEnter, type Session } from './session.tsx'

/** Loads the library on the first use of a passkey. */
const library = () => import('@simplewebauthn/browser')

/** Returns why passkeys do not work here: the browser lacks them, or the host cannot have any; null if they work. */
export function whyNoPasskeys(): 'browser' | 'address' | null {
  const { hostname } = globalThis.location
  // Browsers bind passkeys to a domain, and an IP address is not a domain.
  if (/^[\d.]+$|^\[/.test(hostname) || !globalThis.isSecureContext) return 'address'
  return 'PublicKeyCredential' in globalThis ? null : 'browser'
}

/** Whether the user, or the device, canceled: not a failure. */
export const isBrokenOff = (error: unknown) =>
  error instanceof Error && ['NotAllowedError', 'AbortError', 'InvalidStateError'].includes(error.name)

const usedName = 'tillgate-passkey'

/** Whether this browser made a passkey or signed in with one: then it offers to sign in with one again. */
export function hadPasskey(): boolean {
  return readStored(usedName) !== null
}

const noteUse = () => store(usedName, 'yes')

const post = async (path: string, json: unknown = {}) => ask({ path, method: 'POST', json })

/** Signs in with a passkey that the browser finds. Throws `Problem`, and the browser's error if the user cancels. */
export function useSignInByPasskey(): () => Promise<void> {
  const enter = useEnter()
  return async () => {
    const { startAuthentication } = await library()
    const optionsJSON = await (await post('/session/challenge')).json()
    await enter(await post('/session/passkey', await startAuthentication({ optionsJSON })))
    noteUse()
  }
}

/** Makes a passkey for the rights of the session. Throws as signing in does. */
export async function addPasskey(label: string): Promise<void> {
  const { startRegistration } = await library()
  const optionsJSON = await (await post('/passkeys/offer')).json()
  await post('/passkeys', { label, answer: await startRegistration({ optionsJSON }) })
  noteUse()
}

/** Extends the session. Throws `Problem`. */
export function useRenewal(): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    const session = (await (await post('/session/renewal')).json()) as Session
    queries.setQueryData(sessionKey, session)
  }
}

const devices: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS/, 'Mac'],
  [/CrOS/, 'Chromebook'],
  [/Linux/, 'Linux'],
]

/** Returns the default name of the device. */
export const deviceName = () => devices.find(([form]) => form.test(navigator.userAgent))?.[1] ?? ''
