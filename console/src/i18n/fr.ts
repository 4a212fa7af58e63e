import type { Dictionary } from './en.ts'
import { figures } from './fr/figures.ts'
import { integrations } from './fr/integrations.ts'
import { operations } from './fr/operations.ts'
import { told } from './fr/problems.ts'
import { restaurant } from './fr/restaurant.ts'
import { shell } from './fr/shell.ts'

export const fr: Dictionary = { ...shell, ...figures, ...restaurant, ...integrations, ...operations, ...told }
