import type { ButtonHTMLAttributes, MouseEvent, ReactNode } from 'react'
import styles from './button.module.css'

type Kind = 'plain' | 'primary' | 'danger' | 'quiet'

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> & { kind?: Kind; children: ReactNode }

const buttonClass = (kind: Kind = 'plain') => `${styles.button} ${styles[kind]}`

/** A disabled button keeps the focus, which would otherwise leave a dialog while an action runs. */
export function Button({ kind = 'plain', type = 'button', disabled = false, onClick, children, ...rest }: Props) {
  const onPress = (event: MouseEvent<HTMLButtonElement>) => {
    if (disabled) event.preventDefault()
    else onClick?.(event)
  }
  return (
    <button {...rest} type={type} aria-disabled={disabled} onClick={onPress} className={buttonClass(kind)}>
      {children}
    </button>
  )
}
