import { useSearch, useNavigate } from '@tanstack/react-router'
import type { JournalHead, Location, Verification, VerificationList } from '@tillgate/client'
import { offers } from '../../api/offers.ts'
import { useAct, useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Box, Columns, Fact, Facts, Notice, Page } from '../../parts/page.tsx'
import { Async, Failure } from '../../parts/states.tsx'
import { Foreign, Id } from '../../parts/text.tsx'
import { Exports } from './exports.tsx'
import styles from './integrity.module.css'

/** Writes sixty-four digits in groups of four, to be read out on the phone. */
const grouped = (hash: string) => hash.match(/.{1,4}/g) ?? []

function Hash({ hash }: { hash: string }) {
  return (
    <p className={styles.hash}>
      {grouped(hash).map((group, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- groups may repeat
        <span key={place}>{group}</span>
      ))}
    </p>
  )
}

function Outcome({ verification }: { verification: Verification }) {
  const { integrity: t } = useT()
  const format = useFormat()
  const { state, from, verifiedTo, to, brokenAt, reason } = verification
  if (state === 'running') {
    return (
      <label className={styles.progress}>
        {t.running(format.number(verifiedTo), format.number(to))}
        <progress value={verifiedTo} max={Math.max(1, to)} />
      </label>
    )
  }
  const start = from > verifiedTo ? '' : format.number(from)
  if (state === 'ok') return <Notice tone="good">{t.ok(start, format.number(verifiedTo), from <= 1)}</Notice>
  return (
    <Notice tone="bad">
      {state === 'broken' ? t.broken(format.number(brokenAt ?? 0)) : t.failed} <Foreign text={reason} />
    </Notice>
  )
}

const pollMs = 700

function Verify() {
  const { integrity: t, common } = useT()
  const { verification: id } = useSearch({ from: '/integrity' })
  const navigate = useNavigate({ from: '/integrity' })
  const start = useAct<Verification, boolean>((full) => ({
    path: '/v1/journal/verifications',
    method: 'POST',
    body: full ? { full: true } : {},
  }))
  // The last verification, if the URL names none.
  const list: Call = { path: '/v1/journal/verifications/' }
  const known = useApi<VerificationList>(id === undefined ? list : null)
  const newest = known.data?.data.data[0]
  const shown = id ?? newest?.id
  const call: Call | null = shown === undefined ? null : { path: `/v1/journal/verifications/${shown}` }
  const first = useApi<Verification>(call)
  const isRunning = first.data?.data.state === 'running'
  const read = useApi<Verification>(call, isRunning ? { everyMs: pollMs, isOwn: true } : {})
  const run = async (full: boolean) => {
    const { data } = await start.mutateAsync(full)
    await navigate({ search: (before) => ({ ...before, verification: data.id }) })
  }
  return (
    <Box title={t.verify} call={call ?? list}>
      <p className="muted">{t.verifyText}</p>
      <p className={styles.actions}>
        <Button
          kind="primary"
          disabled={start.isPending || isRunning}
          onClick={() => void run(false).catch(() => undefined)}
        >
          {t.verifyNow}
        </Button>
        <Button disabled={start.isPending || isRunning} onClick={() => void run(true).catch(() => undefined)}>
          {t.verifyAll}
        </Button>
      </p>
      {start.error !== null && <Failure problem={start.error} retry={() => start.reset()} />}
      {id === undefined && known.data !== undefined && newest === undefined && <p data-empty>{t.neverVerified}</p>}
      {call !== null && (
        <Async read={read} rows={2}>
          {(verification) => (
            <>
              <Outcome verification={verification} />
              <Facts>
                <Fact name={common.started} at={verification.startedAt} as="second" />
                <Fact name={t.endedAt} at={verification.endedAt} as="second" />
              </Facts>
            </>
          )}
        </Async>
      )}
    </Box>
  )
}

export function Integrity() {
  const { integrity: t, screens, common } = useT()
  const format = useFormat()
  const call: Call = { path: '/v1/journal/head' }
  const read = useApi<JournalHead>(call)
  const location = useApi<Location>({ path: '/v1/locations/own' })
  const name = location.data?.data.name ?? ''
  return (
    <Page
      title={screens.integrity}
      intro={t.intro}
      call={call}
      actions={<Button onClick={() => window.print()}>{common.print}</Button>}
    >
      <Box title={t.certificate}>
        <Async read={read} rows={4}>
          {(head) => (
            <>
              <Facts>
                <Fact name={common.location} text={name} />
                <Fact name="SIRET" text={location.data?.data.siret} />
                <Fact name={common.sequence}>{format.number(head.sequence)}</Fact>
                <Fact name={common.accepted} at={head.acceptedAt} as="moment" />
                <Fact name={t.epoch}>
                  <Id id={head.epoch} />
                </Fact>
              </Facts>
              <h3>{t.hash}</h3>
              <Hash hash={head.hash} />
              <p>
                <Copy
                  kind="plain"
                  label={t.copyCertificate}
                  text={t.letter(
                    name,
                    format.number(head.sequence),
                    head.acceptedAt ?? '–',
                    grouped(head.hash).join(' '),
                  )}
                />
              </p>
            </>
          )}
        </Async>
      </Box>
      <Columns>
        {offers('/v1/journal/verifications') && <Verify />}
        <div className={styles.exports}>
          <Exports />
        </div>
      </Columns>
      <Box title={t.whatItProves}>
        <p>{t.proves}</p>
        <p className="muted">{t.provesNot}</p>
      </Box>
    </Page>
  )
}
