import { createContext } from 'react'

/** Whether who looks has paused updates: then nothing changes on a screen by itself (WCAG 2.2.2). */
export const PauseContext = createContext(false)
