import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { useT } from '../i18n/language.tsx'
import { Button } from './button.tsx'
import styles from './dialog.module.css'

export type WindowProps = {
  title: string
  onClose: () => void
  /** `side` for details beside a list. */
  place?: 'middle' | 'side' | 'top' | 'start'
  children: ReactNode
}

/** Takes the focus, keeps it, and returns it on closing; Esc closes. */
export function DialogWindow({ title, onClose, place = 'middle', children }: WindowProps) {
  const { common } = useT()
  return (
    <ModalOverlay
      isOpen
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
