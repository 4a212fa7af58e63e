import type { Dictionary } from './en.ts'
import { access } from './fr/access.ts'
import { bookkeeping } from './fr/bookkeeping.ts'
import { books } from './fr/books.ts'
import { closings } from './fr/closings.ts'
import { figures } from './fr/figures.ts'
import { integrations } from './fr/integrations.ts'
import { operations } from './fr/operations.ts'
import { problemTexts } from './fr/problems.ts'
import { restaurant } from './fr/restaurant.ts'
import { sources } from './fr/sources.ts'
import { shell } from './fr/shell.ts'
import { cautions } from './fr/warnings.ts'
import { typeset } from './typeset.ts'

export const fr: Dictionary = typeset({
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
})
