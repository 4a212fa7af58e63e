import { settingNames, settings } from '../../config.ts'
import { moduleWith } from '../../modules.ts'
import { findSimilar } from '../../domain/documents/spelling.ts'

/** Variables that are not settings of a server, but are read by some command. */
const knownVariables = ['TILLGATE_DEBUG', 'TILLGATE_KEY']

/** Variables that receivers and the MCP server read, with the flag to use here. */
const ofOtherPrograms: Record<string, string> = { TILLGATE_URL: '--url' }

/** Kubernetes sets these in every pod beside a service named tillgate. */
const ofKubernetes = /^TILLGATE_(SERVICE_(HOST|PORT)|PORT_\d+_)/

/** Returns a sentence for each environment variable that looks like a setting of Tillgate but is not one. */
export async function unknownVariables(env: NodeJS.ProcessEnv): Promise<string[]> {
  const known: string[] = [...settingNames.map((name) => settings[name].env), ...knownVariables]
  const unknown = Object.keys(env)
    .filter((name) => name.startsWith('TILLGATE_') && !known.includes(name) && !ofKubernetes.test(name))
    .toSorted()
  return Promise.all(
    unknown.map(async (name) => {
      const off = await moduleWith(({ settings: own = {} }) => Object.values(own).some(({ env: of }) => of === name))
      if (off !== undefined) return `${name} belongs to the module ${off}, which is off, and has no effect`
      const flag = ofOtherPrograms[name]
      if (flag !== undefined) return `${name} is read by receivers and the MCP server, not by this program: use ${flag}`
      const meant = findSimilar(name, known)
      return `${name} is not a setting of Tillgate and has no effect${meant ? `; did you mean ${meant}?` : ''}`
    }),
  )
}
