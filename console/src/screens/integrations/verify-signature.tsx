import { useState } from 'react'
import { verifyWebhook, WebhookRefused, type WebhookSecret } from '@tillgate/client'
import { send } from '../../api/request.ts'
import { useLocationId } from '../../api/session.tsx'
import { Problem } from '../../api/problem.ts'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Field } from '../../parts/filters.tsx'
import { Notice } from '../../parts/page.tsx'
import { lowerNames, sign } from './signature.ts'

type Finding = { isGood: boolean; text: string; signature?: string }

type Props = { webhookId: string; headers: Record<string, string>; body: string; isExact: boolean }

/**
 * Verifies a signature as a receiver does, with Web Crypto, in this page: a pasted secret is not sent anywhere. The log
 * has no signatures: the user pastes the receiver's, or the page computes the right one.
 */
export function VerifySignature({ webhookId, headers, body, isExact }: Props) {
  const { webhooks: t } = useT()
  const location = useLocationId()
  const [given, setGiven] = useState('')
  const [signature, setSignature] = useState('')
  const [finding, setFinding] = useState<Finding | null>(null)
  const check = async () => {
    try {
      const secret =
        given.trim() === ''
          ? (await send<WebhookSecret>({ path: `/v1/webhooks/${webhookId}/secret` }, { location })).data.secret
          : given.trim()
      const lower = lowerNames(headers)
      if (signature.trim() === '') {
        const made = await sign(secret, lower, body)
        setFinding({ isGood: true, text: t.signatureMade, signature: made })
        return
      }
      // The delivery is from another time: its own timestamp is taken as the present.
      const now = new Date(Number(lower['webhook-timestamp']) * 1000)
      await verifyWebhook(body, { ...lower, 'webhook-signature': signature.trim() }, secret, { now })
      setFinding({ isGood: true, text: t.signatureGood })
    } catch (error) {
      if (error instanceof WebhookRefused) setFinding({ isGood: false, text: t.signatureBad[error.reason] })
      else if (error instanceof Problem) setFinding({ isGood: false, text: error.detail })
      else setFinding({ isGood: false, text: t.secretWrong })
    }
  }
  return (
    <section>
      <h3>{t.verify}</h3>
      <p className="muted">{isExact ? t.verifyText : t.verifyRedacted}</p>
      <Field label={t.signatureToTry} hint={t.signatureToTryHint}>
        <input
          autoComplete="off"
          spellCheck={false}
          value={signature}
          placeholder="v1,…"
          onChange={(event) => setSignature(event.target.value)}
        />
      </Field>
      <Field label={t.secret} hint={t.secretToTryHint}>
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
        {finding !== null && (
          <Notice tone={finding.isGood ? 'good' : 'bad'}>
            <span>
              {finding.text} {finding.signature !== undefined && <code>{finding.signature}</code>}
            </span>
            {finding.signature !== undefined && <Copy text={finding.signature} label={t.copySignature} />}
          </Notice>
        )}
      </div>
    </section>
  )
}
