#!/usr/bin/env node
// The command that npm installs. Every Node since 2015 can read this file, so that an old one says what to do instead of
// failing on the first line that it does not know. The program itself is in dist/.
var version = process.versions.node
if (parseInt(version, 10) < 24) {
  process.stderr.write(
    'error: Tillgate needs Node 24 or later; this is ' +
      version +
      '. Install a newer Node; or, in the directory where Tillgate is installed: npm install node@26, then npx tillgate\n',
  )
  process.exit(2)
}
require('../dist/main.js')
