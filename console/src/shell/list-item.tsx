import type { ReactNode } from 'react'
import list from './list.module.css'

/** A row of a list to choose from. */
export function ListItem({
  isHere,
  onChoose,
  children,
}: {
  isHere?: boolean
  onChoose: () => void
  children: ReactNode
}) {
  return (
    <li>
      <button type="button" className={list.item} aria-current={isHere} onClick={onChoose}>
        {children}
      </button>
    </li>
  )
}
