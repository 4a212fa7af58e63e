import type { AdminRejected as Rejected } from '@tillgate/client'
import { findNodeAtLocation, parseTree } from 'jsonc-parser'
import { toTrialCurl } from '../../api/curl.ts'
import { useSession } from '../../api/session.tsx'
import { useApi, type Call } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { Copy, CopyCurl } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Async, Empty, FaultText } from '../../parts/states.tsx'
import { Foreign, legible } from '../../parts/text.tsx'
import type { Page } from './shapes.ts'
import styles from './rejected.module.css'

const around = 1500

/** Returns where a JSON Pointer's value is in the text; where its nearest parent is, if the value is missing. */
function placeOf(text: string, pointer: string): { offset: number; length: number } | null {
  const root = parseTree(text)
  if (root === undefined) return null
  const path = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(root, path.slice(0, length))
    if (node !== undefined) return { offset: node.offset, length: Math.min(node.length, 400) }
  }
  return null
}

/** Only this many bytes of a longer record are stored; the last character may be incomplete. */
const keptBytes = 16 * 1024
const partOfCharacter = 3

/** Whether only the beginning of a record was stored, which is not valid JSON. */
function isCut(record: string): boolean {
  if (new TextEncoder().encode(record).length < keptBytes - partOfCharacter) return false
  try {
    JSON.parse(record)
    return false
  } catch {
    return true
  }
}

type DrawerProps = { id: string; location: string; onClose: () => void }

/** A record beside the list, even if the shown page does not have it. */
export function RejectedDrawer({ id, location, onClose }: DrawerProps) {
  const { ops: t } = useT()
  const call: Call = { path: '/v1/admin/rejected/', query: { location, id } }
  const read = useApi<Page<Rejected>>(call, { isStill: true })
  return (
    <Dialog title={t.record} place="side" isOpen onClose={onClose}>
      <CopyCurl call={call} />
      <Async read={read}>
        {({ data: [entry] }) =>
          entry === undefined ? <Empty title={t.recordGone} /> : <RejectedRecord entry={entry} />
        }
      </Async>
    </Dialog>
  )
}

/** A record as sent, with the refused part marked. */
function RejectedRecord({ entry }: { entry: Rejected }) {
  const { ops: t } = useT()
  const { server } = useSession()
  const { record, errors, detail } = entry
  const [first] = errors
  const isComplete = !isCut(record)
  const place = first === undefined ? null : placeOf(record, first.pointer)
  const from = Math.max(0, (place?.offset ?? 0) - around)
  const end = place === null ? 2 * around : place.offset + place.length + around
  return (
    <>
      {errors.every((fault) => fault.detail !== detail) && (
        <p>
          <Foreign text={detail} />
        </p>
      )}
      <ul>
        {errors.map((fault) => (
          <li key={`${fault.pointer}${fault.code}`}>
            <FaultText fault={fault} /> <code className="muted">{fault.code}</code>
          </li>
        ))}
      </ul>
      <pre className={styles.record} role="region" aria-label={t.record} tabIndex={0}>
        {from > 0 && '…'}
        {place === null ? (
          legible(record.slice(0, end), end)
        ) : (
          <>
            {legible(record.slice(from, place.offset), around)}
            <mark>{legible(record.slice(place.offset, place.offset + place.length), 400)}</mark>
            {legible(record.slice(place.offset + place.length, end), around)}
          </>
        )}
        {end < record.length && '…'}
      </pre>
      {isComplete || <p>{t.recordCut}</p>}
      <p>
        {isComplete && <Copy text={toTrialCurl(record, server.baseUrl)} label={t.copyCorrected} kind="plain" />}{' '}
        <Copy text={record} label={t.copyRecord} />
      </p>
    </>
  )
}
