import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { addPasskey, deviceName, isBrokenOff, useRenewal, whyNoPasskeys } from '../../api/passkeys.ts'
import { Problem } from '../../api/problem.ts'
import { useScope, useSession } from '../../api/session.tsx'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Field, formClass } from '../../parts/filters.tsx'
import { Box, Fact, Facts, Notice, Page } from '../../parts/page.tsx'
import { Failure } from '../../parts/states.tsx'
import { Foreign } from '../../parts/text.tsx'
import { PasskeyList } from '../../parts/passkey-list.tsx'
import { SignedIn } from '../../parts/who.tsx'

/** A failure of the server, or the user's cancellation. */
function Outcome({ error }: { error: Error | null }) {
  const { access: t } = useT()
  if (error === null) return null
  if (error instanceof Problem) return <Failure problem={error} />
  return <Notice tone="warn">{isBrokenOff(error) ? t.brokenOff : t.notMade(error.message)}</Notice>
}

/** Requests a passkey from the device, under a name that its owner recognizes. */
function AddPasskey() {
  const { access: t } = useT()
  const queries = useQueryClient()
  const [label, setLabel] = useState(deviceName)
  const add = useMutation({
    mutationFn: () => addPasskey(label.trim()),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['v1'] }),
  })
  const why = whyNoPasskeys()
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate()
  }
  return (
    <Box title={t.add}>
      <p>{t.addText}</p>
      {why !== null ? (
        <Notice tone="info">{why === 'address' ? t.noAddress(globalThis.location.origin) : t.noBrowser}</Notice>
      ) : (
        <form onSubmit={onSubmit} className={formClass}>
          <Field label={t.device} hint={t.deviceHint}>
            <input required maxLength={100} value={label} onChange={(event) => setLabel(event.target.value)} />
          </Field>
          <Outcome error={add.error} />
          {add.isSuccess && <Notice tone="good">{t.addedNow}</Notice>}
          <Button type="submit" kind="primary" disabled={add.isPending || label.trim() === ''}>
            {t.add}
          </Button>
        </form>
      )}
    </Box>
  )
}

/** When the session ends, and the ways to return: renewal and passkeys. */
export function Access() {
  const { access: t, shell, screens, common } = useT()
  const format = useFormat()
  const session = useSession()
  const { cursor } = useSearch({ from: '/access' })
  const { kind, locations, expiresAt, renewableUntil } = session
  const isOfAll = useScope('admin')
  const renew = useRenewal()
  const renewal = useMutation({ mutationFn: renew })
  const canRenew = renewableUntil !== null && renewableUntil > expiresAt
  return (
    <Page title={screens.access}>
      <Box title={shell.session}>
        <Facts>
          <SignedIn />
          <Fact name={common.sees}>
            {isOfAll ? t.everything : <Foreign text={locations.map((place) => place.name).join(' · ') || '–'} />}
          </Fact>
          <Fact name={common.until}>{format.dateTime(expiresAt)}</Fact>
          {renewableUntil !== null && <Fact name={t.renewableUntil}>{format.dateTime(renewableUntil)}</Fact>}
        </Facts>
        <p className="muted">
          {renewableUntil === null ? (kind === 'link' ? t.notRenewable : t.notOfKind[kind]) : t.howRenewed}
        </p>
        <Outcome error={renewal.error} />
        {renewal.isSuccess && <Notice tone="good">{t.renewed(format.dateTime(expiresAt))}</Notice>}
        {canRenew && (
          <p>
            <Button kind="primary" disabled={renewal.isPending} onClick={() => renewal.mutate()}>
              {t.renew}
            </Button>
          </p>
        )}
      </Box>
      {renewableUntil !== null && (
        <>
          <AddPasskey />
          <PasskeyList cursor={cursor} />
        </>
      )}
    </Page>
  )
}
