import { createContext } from 'react'

/** Whether the user has paused updates: then nothing on a screen changes by itself (WCAG 2.2.2). */
export const PauseContext = createContext(false)
