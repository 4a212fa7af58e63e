// Switches modules on for a program other than main.ts: a script, a benchmark, a test (`node --import=./src/modules/on.ts`).
import { loadData, useModules } from '../core/modules.ts'
import { chooseModules, loadModules } from './all.ts'

const { fault, ...choice } = chooseModules(process.env['TILLGATE_MODULES'])
if (fault !== undefined) throw new Error(fault)
const { on, off } = await loadModules(choice)
useModules(on, off)
await loadData()
