import { access } from './en/access.ts'
import { bookkeeping } from './en/bookkeeping.ts'
import { books } from './en/books.ts'
import { closings } from './en/closings.ts'
import { figures } from './en/figures.ts'
import { integrations } from './en/integrations.ts'
import { operations } from './en/operations.ts'
import { problemTexts } from './en/problems.ts'
import { restaurant } from './en/restaurant.ts'
import { sources } from './en/sources.ts'
import { shell } from './en/shell.ts'
import { cautions } from './en/warnings.ts'

export const en = {
  ...shell,
  ...access,
  ...cautions,
  ...bookkeeping,
  ...closings,
  ...figures,
  ...restaurant,
  ...books,
  ...integrations,
  ...operations,
  ...sources,
  ...problemTexts,
}

/** The shape of all texts: another language that lacks one does not compile. */
export type Dictionary = typeof en
