import type { ReactNode } from 'react'
import type { Call, Act } from '../api/use-api.ts'
import { useT } from '../i18n/language.tsx'
import { Button } from './button.tsx'
import { CopyCurl } from './copy.tsx'
import { formClass } from './filters.tsx'
import { Failure } from './states.tsx'
import styles from './dialog.module.css'

type Props = {
  act: Act
  call: Call
  /** The name of the button; by default to save. */
  action?: string
  isIncomplete?: boolean
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}

/** The form of a dialog: its fields, why the server refused it, and its buttons. */
export function DialogForm({ act, call, action, isIncomplete = false, onSubmit, onClose, children }: Props) {
  const { common } = useT()
  return (
    <form
      className={formClass}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {children}
      {act.error !== null && <Failure problem={act.error} retry={onSubmit} />}
      <div className={styles.foot}>
        <CopyCurl call={call} />
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button type="submit" kind="primary" disabled={act.isPending || isIncomplete}>
          {action ?? common.save}
        </Button>
      </div>
    </form>
  )
}
