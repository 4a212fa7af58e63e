import type { ModuleData } from '../src/core/modules.ts'
import '../src/modules/sources/adapters/all.ts'
import { dsfinvk } from './dsfinvk/map.ts'
import { lightspeedK } from './lightspeed-k/map.ts'
import { lightspeedKPull } from './lightspeed-k/pull.ts'
import { loyverse } from './loyverse/map.ts'
import { loyversePull } from './loyverse/pull.ts'
import { singerAdapter } from './singer/read.ts'
import { square } from './square/map.ts'
import { squarePull } from './square/pull.ts'
import { sumup } from './sumup/map.ts'
import { sumupPull } from './sumup/pull.ts'
import { toast } from './toast/map.ts'
import { toastPull } from './toast/pull.ts'

export const data: ModuleData = {
  connectors: {
    mapAdapters: { singer: singerAdapter },
    adapters: [square, toast, sumup, lightspeedK, loyverse, dsfinvk],
    pulls: {
      square: squarePull,
      toast: toastPull,
      sumup: sumupPull,
      loyverse: loyversePull,
      'lightspeed-k': lightspeedKPull,
    },
  },
}
