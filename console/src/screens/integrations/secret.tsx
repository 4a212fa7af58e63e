import { useState } from 'react'
import type { WebhookSecret } from '@tillgate/client'
import { send } from '../../api/request.ts'
import { useLocationId } from '../../api/session.tsx'
import { useAct } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy, CopyCurl } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Notice } from '../../parts/page.tsx'
import { Failure } from '../../parts/states.tsx'

/** The signing secret: copied without being shown, and replaced after two confirmations. */
export function SecretDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { webhooks: t, common } = useT()
  const location = useLocationId()
  const [isSure, setSure] = useState(false)
  const call = { path: `/v1/webhooks/${id}/secret` } as const
  const read = async () => (await send<WebhookSecret>(call, { location })).data.secret
  const rotate = useAct<WebhookSecret>(() => ({ path: `/v1/webhooks/${id}/secret/rotate`, method: 'POST' }))
  return (
    <Dialog title={t.secret} isOpen onClose={onClose}>
      <p>{t.secretText}</p>
      <p>
        <Copy text={read} label={t.copySecret} kind="plain" /> <CopyCurl call={call} />
      </p>
      <h3>{t.rotate}</h3>
      <p>{t.rotateText}</p>
      {rotate.isSuccess && <Notice tone="good">{t.rotated}</Notice>}
      {rotate.error !== null && <Failure problem={rotate.error} retry={() => rotate.mutate()} />}
      {isSure ? (
        <p>
          <Button
            kind="danger"
            disabled={rotate.isPending}
            onClick={() => rotate.mutate(undefined, { onSuccess: () => setSure(false) })}
          >
            {t.rotateNow}
          </Button>{' '}
          <Button onClick={() => setSure(false)}>{common.cancel}</Button>
        </p>
      ) : (
        <p>
          <Button onClick={() => setSure(true)}>{t.rotate} …</Button>
        </p>
      )}
    </Dialog>
  )
}
