// For `--import`: the program without any tracing code.
import { registerHooks } from 'node:module'

const source = `
  export const traced = (name, work) => work()
  export const beginRequest = () => undefined
  export const storedEntries = () => {}
  export const linksTo = () => []
  export const traceHeaders = () => ({})
`

registerHooks({
  load: (url, context, next) =>
    url.endsWith('/src/core/tracing.ts') ? { format: 'module', source, shortCircuit: true } : next(url, context),
})
