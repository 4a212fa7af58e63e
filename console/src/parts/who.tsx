import { useSession, type Scope } from '../api/session.tsx'
import { useT } from '../i18n/language.tsx'
import { Fact } from './page.tsx'
import { Called } from './text.tsx'
import { callerName } from './words.ts'

/** Returns the rights in the user's words. */
export function useRights(): (scopes: readonly Scope[]) => string {
  const { shell } = useT()
  return (scopes) => scopes.map((scope) => shell.scopes[scope]).join(', ')
}

/** Facts about the signed-in person: name and rights. */
export function SignedIn() {
  const texts = useT()
  const { name, scopes } = useSession()
  return (
    <>
      <Fact name={texts.shell.signedInAs} text={callerName(texts, name)} />
      <Fact name={texts.common.rights}>{useRights()(scopes)}</Fact>
    </>
  )
}

/** A key, a session or a program of the server by its name, and the account on the machine that used it. */
export function Caller({ id, name, account }: { id: string; name: string | undefined; account?: string | undefined }) {
  const texts = useT()
  const called = texts.ops.actors[id as 'cli'] ?? (name === undefined ? undefined : callerName(texts, name))
  return <Called id={id} name={account === undefined ? called : `${called} (${account})`} />
}
