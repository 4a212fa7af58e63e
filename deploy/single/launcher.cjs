// The entry point of the single executable. It unpacks the program into the user's cache, once per build, and starts it
// from there: the program needs files (PostgreSQL, migrations, guides, the console).
const cluster = require('node:cluster')
const { createHash, randomBytes } = require('node:crypto')
const fs = require('node:fs')
const { createRequire } = require('node:module')
const { homedir } = require('node:os')
const { dirname, join } = require('node:path')
const { getRawAsset } = require('node:sea')
const { zstdDecompressSync } = require('node:zlib')

function unpack(packed, target) {
  const draft = `${target}.${randomBytes(6).toString('hex')}`
  const bytes = zstdDecompressSync(packed)
  const begin = 4 + bytes.readUInt32LE(0)
  let at = begin
  for (const { path, mode, size, link } of JSON.parse(bytes.subarray(4, begin))) {
    fs.mkdirSync(dirname(join(draft, path)), { recursive: true, mode: 0o755 })
    if (link !== undefined) fs.symlinkSync(link, join(draft, path))
    else fs.writeFileSync(join(draft, path), bytes.subarray(at, (at += size)), { mode })
  }
  try {
    fs.renameSync(draft, target)
  } catch (error) {
    // Another start was quicker.
    fs.rmSync(draft, { recursive: true, force: true })
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  }
}

/**
 * Throws unless the folder is a directory that this account owns and no other account can write, because the program in
 * it is run.
 */
function refuseOthers(folder) {
  const { uid, mode } = fs.lstatSync(folder)
  const own = process.geteuid?.()
  const isOurs = fs.lstatSync(folder).isDirectory() && (own === undefined || uid === own) && (mode & 0o022) === 0
  if (isOurs) return
  throw new Error(`${folder} must be a directory of this account in which nobody else can write: remove it`)
}

const packed = Buffer.from(getRawAsset('program'))
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tillgate')
const target = join(cache, createHash('sha256').update(packed).digest('hex').slice(0, 16))
try {
  if (!fs.existsSync(target)) {
    fs.mkdirSync(cache, { recursive: true, mode: 0o755 })
    refuseOthers(cache)
    unpack(packed, target)
  }
  refuseOthers(cache)
  refuseOthers(target)
} catch (error) {
  process.stderr.write(
    `error: the program cannot be unpacked in ${cache}: ${error.message}; XDG_CACHE_HOME names a directory of this account, where that is not it\n`,
  )
  process.exit(2)
}
// A process of `--processes` is started with the executable in place of a script.
if (cluster.isWorker && process.argv[2] === process.execPath) process.argv.splice(2, 1)
createRequire(join(target, 'launcher.cjs'))('./node_modules/tillgate/bin/tillgate.cjs')
