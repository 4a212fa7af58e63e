import type { CheckpointKeys, CheckpointPage } from '@tillgate/client'
import { useScope, useSession } from '../../api/session.tsx'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy, CopyCurl } from '../../parts/copy.tsx'
import { saveText } from '../../parts/csv.ts'
import { Box, Fact, Facts } from '../../parts/page.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import styles from './checkpoints.module.css'

/** The keys that verify the checkpoints of the journal. */
function Keys() {
  const { closings: t } = useT()
  const format = useFormat()
  const call: Call = { path: '/v1/checkpoints/keys' }
  return (
    <Async read={useApi<CheckpointKeys>(call)} rows={1}>
      {({ data }) => (
        <>
          <ul className={styles.keys}>
            {data.map(({ key, firstSize, lastSize }) => (
              <li key={key}>
                <code className={styles.long}>{key}</code> <Copy kind="quiet" label={t.copyKey} text={key} />
                <div className="muted">{t.keyOf(format.number(firstSize), format.number(lastSize))}</div>
              </li>
            ))}
          </ul>
          <CopyCurl call={call} />
        </>
      )}
    </Async>
  )
}

/** The last checkpoint of the journal, what to store elsewhere, and how to verify it there. */
export function Checkpoints() {
  const { closings: t, problems } = useT()
  const format = useFormat()
  const { server } = useSession()
  // The commands need the machine of the server.
  const isOperator = useScope('admin')
  const call: Call = { path: '/v1/checkpoints/', query: { size: 1 } }
  const read = useApi<CheckpointPage>(call)
  const docs = `${server.baseUrl.replace(/\/+$/, '')}/docs/verify`
  return (
    <Box title={t.checkpoints} call={call}>
      <Async read={read} rows={3}>
        {({ data: [latest], meta }) =>
          latest === undefined ? (
            <Empty title={t.noCheckpoint}>
              <p>{isOperator ? t.noCheckpointText : problems.checkpoint_not_found[1]}</p>
              {isOperator && <pre>tillgate checkpoint key --checkpoint-key /etc/tillgate/checkpoint.pem</pre>}
            </Empty>
          ) : (
            <>
              <Facts>
                <Fact name={t.signedAt} at={latest.createdAt} as="moment" />
                <Fact name={t.size}>{format.number(latest.size)}</Fact>
                <Fact name={t.origin} text={latest.origin} />
                <Fact name={t.root}>
                  <code className={styles.long}>{latest.root}</code>
                </Fact>
                <Fact name={t.count}>{format.number(meta.totalCount)}</Fact>
              </Facts>
              <h3>{t.keep}</h3>
              <p>{t.keepText}</p>
              <p className={styles.acts}>
                <Button onClick={() => saveText(`tillgate-${latest.size}.checkpoint`, latest.note)}>
                  {t.saveNote}
                </Button>
                <Copy kind="plain" label={t.copyNote} text={latest.note} />
              </p>
              <Keys />
              <h3>{t.verify}</h3>
              <p>
                {t.verifyText}{' '}
                {server.docs && (
                  <a href={docs} target="_blank" rel="noreferrer noopener">
                    {t.verifyPage} ↗
                  </a>
                )}
              </p>
              {isOperator && (
                <>
                  <p>{t.verifyCommand}</p>
                  <pre>{`tillgate verify --checkpoint tillgate-${latest.size}.checkpoint --key '…'`}</pre>
                </>
              )}
            </>
          )
        }
      </Async>
    </Box>
  )
}
