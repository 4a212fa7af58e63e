import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import type { Act } from '../api/use-api.ts'
import { useT } from '../i18n/language.tsx'
import { Button } from './button.tsx'
import { Failure } from './states.tsx'
import styles from './dialog.module.css'

type Props = {
  title: string
  isOpen: boolean
  onClose: () => void
  /** `side` for details beside a list. */
  place?: 'middle' | 'side' | 'top' | 'start'
  children: ReactNode
}

/** Takes the focus, keeps it, and returns it on closing; Esc closes. */
export function Dialog({ title, isOpen, onClose, place = 'middle', children }: Props) {
  const { common } = useT()
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => open || onClose()}
      isDismissable
      className={`${styles.overlay} ${styles[place]}`}
    >
      <Modal className={styles.modal ?? ''}>
        <AriaDialog className={styles.dialog ?? ''}>
          <div className={styles.head}>
            <Heading slot="title" className={styles.title ?? ''}>
              {title}
            </Heading>
            <Button kind="quiet" onClick={onClose}>
              {common.close}
            </Button>
          </div>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
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
