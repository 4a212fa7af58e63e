import { access } from './en/access.ts'
import { bookkeeping } from './en/bookkeeping.ts'
import { books } from './en/books.ts'
import { figures } from './en/figures.ts'
import { integrations } from './en/integrations.ts'
import { operations } from './en/operations.ts'
import { told } from './en/problems.ts'
import { restaurant } from './en/restaurant.ts'
import { sources } from './en/sources.ts'
import { shell } from './en/shell.ts'

export const en = {
  ...shell,
  ...access,
  ...bookkeeping,
  ...figures,
  ...restaurant,
  ...books,
  ...integrations,
  ...operations,
  ...sources,
  ...told,
}

/** The shape of all texts: another language that misses one does not compile. */
export type Dictionary = typeof en
