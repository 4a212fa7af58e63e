// The smallest server that answers from PostgreSQL over HTTP: Fastify and pg on the embedded database of the directory
// in its argument. A database is created in a new directory.
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Fastify from 'fastify'
import pg from 'pg'

const [directory, bin] = process.argv.slice(2)
const data = join(directory, 'postgres')
// PostgreSQL does not run as root.
const nobody = 65_534
const account = process.getuid() === 0 ? { uid: nobody, gid: nobody } : {}
if (!existsSync(data)) {
  mkdirSync(data, { recursive: true })
  if (account.uid) for (const path of [directory, data]) chownSync(path, nobody, nobody)
  const options = ['--pgdata', data, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C']
  execFileSync(join(bin, 'initdb'), options, { ...account, stdio: 'ignore' })
}
const args = ['-D', data, '-k', directory, '-c', 'listen_addresses=', '-c', 'shared_buffers=512MB']
const server = spawn(join(bin, 'postgres'), args, { ...account, stdio: 'ignore' })
const pool = new pg.Pool({ host: directory, user: 'postgres', database: 'postgres' })
// PostgreSQL ends idle connections when it stops.
pool.on('error', () => undefined)
while (!(await pool.query('select 1').then(Boolean, () => false))) await delay(5)

const app = Fastify()
app.get('/readyz', async () => (await pool.query('select 1 as ready')).rows[0])
await app.listen({ port: 0, host: '127.0.0.1' })
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${app.server.address().port}`, pid: process.pid })}\n`)

process.on('SIGTERM', async () => {
  await app.close()
  await pool.end()
  server.kill('SIGINT')
  server.on('exit', () => process.exit(0))
})
