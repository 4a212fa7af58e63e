import { useEffect, useState, type FormEvent } from 'react'
import { Problem } from '../api/problem.ts'
import { hadPasskey, isBrokenOff, useSignInByPasskey, whyNoPasskeys } from '../api/passkeys.ts'
import { useHasEnded, useSignIn, type Credential } from '../api/session.tsx'
import { useT } from '../i18n/language.tsx'
import { Button } from '../parts/button.tsx'
import { Field, formClass } from '../parts/filters.tsx'
import { Notice } from '../parts/page.tsx'
import { Failure } from '../parts/states.tsx'
import { LanguageChoice, ThemeChoice } from './preferences.tsx'
import styles from './sign-in.module.css'

/** Returns the single-use code in the fragment of the URL, which no server sees, and removes it at once. */
function takeCode(): string | null {
  const code = new URLSearchParams(window.location.hash.slice(1)).get('code')
  if (code !== null) {
    window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search)
  }
  return code
}

// Taken when the page loads, before the router reads the URL.
const codeOfLink = takeCode()

export function SignIn() {
  const { signIn: t } = useT()
  const signIn = useSignIn()
  const hasEnded = useHasEnded()
  const [code, setCode] = useState(codeOfLink)
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [hasBrokenOff, setBrokenOff] = useState(false)
  const signInByPasskey = useSignInByPasskey()
  useEffect(() => {
    document.title = `${t.title} · Tillgate`
  }, [t])
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setProblem(null)
    setBrokenOff(false)
    try {
      await work()
    } catch (error) {
      if (error instanceof Problem) setProblem(error)
      else if (isBrokenOff(error)) setBrokenOff(true)
      else throw error
      setCode(null)
      setBusy(false)
    }
  }
  const enter = (credential: Credential) => attempt(() => signIn(credential))
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void enter({ key: key.trim() })
  }
  return (
    <main className={styles.main}>
      <div className={styles.card}>
        <p className={styles.brand}>Tillgate</p>
        <h1>{t.title}</h1>
        <p className="muted">{t.to(window.location.host)}</p>
        {hasEnded && problem === null && code === null && <Notice tone="info">{t.ended}</Notice>}
        {problem !== null && <Failure problem={problem} />}
        {hasBrokenOff && <Notice tone="warn">{t.brokenOff}</Notice>}
        {code === null && whyNoPasskeys() === null && (
          <div className={formClass}>
            <Button
              kind={hadPasskey() ? 'primary' : 'plain'}
              disabled={isBusy}
              onClick={() => void attempt(signInByPasskey)}
            >
              {t.byPasskey}
            </Button>
          </div>
        )}
        {code === null ? (
          <form onSubmit={onSubmit} className={formClass}>
            {/* Password managers store a key under a name: here the server's host. */}
            <input type="text" name="username" autoComplete="username" hidden readOnly value={window.location.host} />
            <Field label={t.key} hint={t.keyHint}>
              <input
                type="password"
                name="key"
                autoComplete="current-password"
                spellCheck={false}
                required
                value={key}
                onChange={(event) => setKey(event.target.value)}
              />
            </Field>
            <Button type="submit" kind={hadPasskey() ? 'plain' : 'primary'} disabled={isBusy || key.trim() === ''}>
              {t.enter}
            </Button>
          </form>
        ) : (
          <div className={formClass}>
            <p>{t.byLink}</p>
            <Button kind="primary" disabled={isBusy} onClick={() => void enter({ code })}>
              {t.enter}
            </Button>
            <Button kind="quiet" onClick={() => setCode(null)}>
              {t.useKey}
            </Button>
          </div>
        )}
        <details className={styles.help}>
          <summary>{t.helpTitle}</summary>
          <p>{t.helpText}</p>
          <pre>
            tillgate console link --role owner <span>--location …</span>
          </pre>
        </details>
        <div className={styles.preferences}>
          <LanguageChoice />
          <ThemeChoice />
        </div>
      </div>
    </main>
  )
}
