import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { useT } from '../i18n/language.tsx'
import { Button } from './button.tsx'
import styles from './dialog.module.css'

type Props = {
  title: string
  isOpen: boolean
  onClose: () => void
  /** `side` for details beside a list. */
  place?: 'middle' | 'side' | 'top' | 'start'
  children: ReactNode
}

/** Takes the focus, keeps it, and gives it back where it came from; Esc closes. */
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
  isBusy?: boolean
  onClose: () => void
  onConfirm: () => void
}

/** Before what cannot be taken back: says what will happen. */
export function Confirm({ title, text, action, isOpen, isBusy = false, onClose, onConfirm }: ConfirmProps) {
  const { common } = useT()
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <p>{text}</p>
      <div className={styles.foot}>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button kind="danger" disabled={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
