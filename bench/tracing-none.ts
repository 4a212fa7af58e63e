// For `--import`: the program as it would be without a word of tracing in it.
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
