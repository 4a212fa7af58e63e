import type { ButtonHTMLAttributes, ReactNode } from 'react'
import styles from './button.module.css'

type Kind = 'plain' | 'primary' | 'danger' | 'quiet'

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> & { kind?: Kind; children: ReactNode }

const buttonClass = (kind: Kind = 'plain') => `${styles.button} ${styles[kind]}`

export function Button({ kind = 'plain', type = 'button', children, ...rest }: Props) {
  return (
    <button {...rest} type={type} className={buttonClass(kind)}>
      {children}
    </button>
  )
}
