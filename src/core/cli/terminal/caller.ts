import { userInfo } from 'node:os'

function findCaller(env: NodeJS.ProcessEnv): string {
  const behind = env['SUDO_USER'] || env['DOAS_USER']
  if (behind) return behind
  try {
    return userInfo().username
  } catch {
    // A container's user often has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

/** The account that started the command; with sudo or doas, the account that called them. */
export const caller: string = findCaller(process.env)
