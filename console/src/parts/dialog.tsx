import { lazy, Suspense, type ReactNode } from 'react'
import type { Act } from '../api/use-api.ts'
import { useT } from '../i18n/language.tsx'
import { Button } from './button.tsx'
import type { WindowProps } from './dialog-window.tsx'
import { Failure } from './states.tsx'
import styles from './dialog.module.css'

const load = () => import('./dialog-window.tsx')

/** Loads the code of dialogs in advance, so that the first one opens at once. No screen waits for it. */
export const loadDialogs = () => load().catch(() => undefined)

const Window = lazy(async () => ({ default: (await load()).DialogWindow }))

export function Dialog({ isOpen, ...props }: WindowProps & { isOpen: boolean }) {
  return (
    isOpen && (
      <Suspense fallback={<span data-loading hidden />}>
        <Window {...props} />
      </Suspense>
    )
  )
}

type ConfirmProps = {
  title: string
  text: ReactNode
  action: string
  isOpen: boolean
  /** The action. A refusal is shown here, and the user can try again or close. */
  act: Act
  onClose: () => void
  onConfirm: () => void
}

/** Asks before an action that cannot be undone, and states its effect. */
export function Confirm({ title, text, action, isOpen, act, onClose, onConfirm }: ConfirmProps) {
  const { common } = useT()
  const leave = () => {
    act.reset()
    onClose()
  }
  return (
    <Dialog title={title} isOpen={isOpen} onClose={leave}>
      <p>{text}</p>
      {act.error !== null && <Failure problem={act.error} />}
      <div className={styles.foot}>
        <Button onClick={leave}>{common.cancel}</Button>
        <Button kind="danger" disabled={act.isPending} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
