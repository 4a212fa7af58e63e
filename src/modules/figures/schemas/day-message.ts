import { Type, type Static } from 'typebox'
import { Choice, closed } from '../../../core/contract/scalars.ts'

export const messageLanguages = ['en', 'fr'] as const

export type MessageLanguage = (typeof messageLanguages)[number]

export const messageForms = ['json', 'text', 'html'] as const

export const DayMessageQuery = Type.Object(
  {
    language: Type.Optional(
      Choice(messageLanguages, { default: 'en', description: 'Language of the text, amounts and dates.' }),
    ),
    format: Type.Optional(
      Choice(messageForms, {
        description: 'Takes precedence over `Accept`: all parts as JSON, only the text, or only the HTML.',
      }),
    ),
  },
  closed,
)

/** A business day in words, as in a mail about it. */
export const DayMessage = Type.Object(
  {
    date: Type.String({ format: 'date', examples: ['2026-03-14'] }),
    language: Choice(messageLanguages),
    subject: Type.String({ examples: ['Bistro, 14 March 2026: €4,150.00, +6%'] }),
    text: Type.String({ description: 'The message as plain text.' }),
    html: Type.String({ description: 'A complete HTML document without scripts and external resources.' }),
  },
  { ...closed, title: 'DayMessage' },
)

export type DayMessage = Static<typeof DayMessage>
