// For `--import`: the program without a projector.
import { registerHooks } from 'node:module'

const source = `
  export class ProjectionWorker {
    start() {}
    async stop() {}
  }
`

registerHooks({
  load: (url, context, next) =>
    url.endsWith('/src/modules/figures/projections/worker.ts')
      ? { format: 'module', source, shortCircuit: true }
      : next(url, context),
})
