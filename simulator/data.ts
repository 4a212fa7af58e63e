import type { ModuleData } from '../src/core/modules.ts'

export const data: ModuleData = {
  async bringSample(database, dataDir) {
    const { isBesideEmbedded, prepareSample } = await import('./cli/sample.ts')
    return prepareSample(database.pool, dataDir, await isBesideEmbedded(database, dataDir))
  },
}
