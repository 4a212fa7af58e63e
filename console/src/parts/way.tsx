import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRefusal } from './places.ts'

/** A link to a screen that the session may open; otherwise only its text. */
export function Way({ link, children }: { link: LinkProps; children: ReactNode }) {
  return useRefusal(String(link.to)) === undefined ? <Link {...link}>{children}</Link> : children
}
