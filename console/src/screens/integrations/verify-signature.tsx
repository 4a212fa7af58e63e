import { useState } from 'react'
import { verifyWebhook, WebhookRefused, type WebhookSecret } from '@tillgate/client'
import { send } from '../../api/request.ts'
import { useLocationId } from '../../api/session.tsx'
import { Problem } from '../../api/problem.ts'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/filters.tsx'
import { Notice } from '../../parts/page.tsx'

type Outcome = { isGood: boolean; text: string }

type Props = { webhookId: string; headers: Record<string, string>; body: string; isExact: boolean }

/** Proves the signature as a receiver does, with Web Crypto, in this page: the secret goes nowhere. */
export function VerifySignature({ webhookId, headers, body, isExact }: Props) {
  const { webhooks: t } = useT()
  const location = useLocationId()
  const [given, setGiven] = useState('')
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const check = async () => {
    try {
      const secret =
        given.trim() === ''
          ? (await send<WebhookSecret>({ path: `/v1/webhooks/${webhookId}/secret` }, { location })).data.secret
          : given.trim()
      const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
      // The delivery is of another time: its own timestamp is the present to check against.
      const now = new Date(Number(lower['webhook-timestamp']) * 1000)
      await verifyWebhook(body, lower, secret, { now })
      setOutcome({ isGood: true, text: t.signatureGood })
    } catch (error) {
      if (error instanceof WebhookRefused) setOutcome({ isGood: false, text: t.signatureBad[error.reason] })
      else if (error instanceof Problem) setOutcome({ isGood: false, text: error.detail })
      else setOutcome({ isGood: false, text: t.secretWrong })
    }
  }
  return (
    <section>
      <h3>{t.verify}</h3>
      <p className="muted">{isExact ? t.verifyText : t.verifyRedacted}</p>
      <Field label={t.secretToTry} hint={t.secretToTryHint}>
        <input
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={given}
          placeholder="whsec_…"
          onChange={(event) => setGiven(event.target.value)}
        />
      </Field>
      <p>
        <Button onClick={() => void check()}>{t.verifyNow}</Button>
      </p>
      <div role="status">
        {outcome !== null && <Notice tone={outcome.isGood ? 'good' : 'bad'}>{outcome.text}</Notice>}
      </div>
    </section>
  )
}
