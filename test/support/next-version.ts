import { readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { projectRoot } from './project-files.ts'
import { run } from './tools.ts'

/** The next version for tests: the same program with one more migration. */
export const nextVersion = '0.2.0'

/** An example: it adds a column to a frequently written table, and creates a new table. */
const statements = `-- What the version after this one could add.
alter table orders add column next_note text;
create index orders_next on orders (location_id, next_note) where next_note is not null;
create table next_things (
  location_id uuid not null,
  id uuid not null,
  primary key (location_id, id)
);
`

/** Adds a migration to those in a folder, and returns its name. */
export async function addMigration(folder: string): Promise<string> {
  const newest = (await readdir(folder)).toSorted().at(-1)!.slice(0, 4)
  const name = `${String(Number(newest) + 1).padStart(4, '0')}_next`
  await writeFile(join(folder, `${name}.sql`), statements)
  return name
}

/** Copies this clone into a new folder, as the version after it; returns the program's file. */
export async function makeNextVersion(folder: string): Promise<string> {
  // Files that were deleted but not committed are not copied.
  const copy = `git ls-files -z | tar -c --null --ignore-failed-read -T - | tar -x -C ${folder}`
  await run('sh', ['-c', copy], { cwd: projectRoot })
  await symlink(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
  const manifest = join(folder, 'package.json')
  const read = JSON.parse(await readFile(manifest, 'utf8')) as object
  await writeFile(manifest, JSON.stringify({ ...read, version: nextVersion }))
  await addMigration(join(folder, 'src/core/store/migrations'))
  return join(folder, 'src/main.ts')
}
