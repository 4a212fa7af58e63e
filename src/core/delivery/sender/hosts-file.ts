import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'

const systemFile =
  process.platform === 'win32'
    ? join(process.env['SystemRoot'] ?? String.raw`C:\Windows`, 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts'

/** Resolves to the addresses of a name in the machine's hosts file, in file order; none if there is no such file. */
export async function findInHostsFile(hostname: string, file: string = systemFile): Promise<string[]> {
  const wanted = hostname.toLowerCase().replace(/\.$/, '')
  const text = await readFile(file, 'utf8').catch(() => '')
  const found: string[] = []
  for (const line of text.split('\n')) {
    const [address = '', ...names] = (line.split('#', 1)[0] ?? '').trim().split(/\s+/)
    if (isIP(address) !== 0 && names.some((name) => name.toLowerCase() === wanted)) found.push(address)
  }
  return [...new Set(found)]
}
