import type { ModuleData } from '../../core/modules.ts'

const offline = () => import('./cli/verify-offline.ts')

export const data: ModuleData = {
  verifying: {
    define: async (command) => (await offline()).verifying.define(command),
    verifyFiles: async (flags) => (await offline()).verifying.verifyFiles(flags),
  },
}
