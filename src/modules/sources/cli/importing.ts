import type { Importing } from '../../../core/cli/import.ts'
import { lookAt } from '../adapters/look.ts'
import { listSourceNames } from '../adapters/all.ts'

/** Documents of other systems, as `import --from` reads them. */
export const importing: Importing = {
  define(command) {
    command
      .option('--from <source>', `documents of another point-of-sale system: ${listSourceNames().join(', ')}`)
      .option(
        '--map <file>',
        'with --from csv and singer: map from columns to fields; tillgate map suggest creates a first one',
      )
      .option('--profile <file>', 'with --from: account, time zone, names of devices and payments, as JSON')
      .option('--records <file>', 'with --from: write the records to this file as well')
  },
  lookAt,
  async read(path, flags, store) {
    const { readSource } = await import('./sources/import-from.ts')
    await readSource(path, flags, store)
  },
}
