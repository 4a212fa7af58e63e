#!/usr/bin/env node
// The command that npm installs. Every Node since 2015 can read this file, so that an old one says what to do instead of
// failing on the first line that it does not know. The program itself is in dist/.
var version = process.versions.node
// Node 25 and later do not start without this library of GCC, which bare Debian and Ubuntu lack.
var places = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/usr/local/lib']
function lacksLibatomic() {
  var fs = require('fs')
  return (
    process.platform === 'linux' &&
    !places.some(function (place) {
      return ['', 'x86_64-linux-gnu', 'aarch64-linux-gnu'].some(function (triple) {
        return fs.existsSync([place, triple, 'libatomic.so.1'].join('/'))
      })
    })
  )
}
if (parseInt(version, 10) < 24) {
  process.stderr.write(
    'error: Tillgate needs Node 24 or later; this is ' +
      version +
      '. Install a newer Node; or, in the directory where Tillgate is installed: npm install node@26, then npx tillgate' +
      (lacksLibatomic() ? '. That Node needs libatomic.so.1, which is not here: apt install libatomic1' : '') +
      '\n',
  )
  process.exit(2)
}
// Node keeps compiled code in the account's own cache folder, so that the next command starts sooner. What is there is
// run, so nobody else may write there. Its parents are made here: Node makes them in a loop that never ends in /proc.
function keepCompiled(home, cache) {
  var fs = require('fs')
  if (!home || !process.geteuid) return
  ;[cache, cache + '/tillgate'].forEach(function (folder) {
    if (!fs.existsSync(folder)) fs.mkdirSync(folder, 448)
  })
  var found = fs.statSync(cache + '/tillgate')
  if (found.uid === process.geteuid() && (found.mode & 18) === 0)
    require('module').enableCompileCache(cache + '/tillgate/compiled')
}
try {
  keepCompiled(process.env.HOME, process.env.XDG_CACHE_HOME || process.env.HOME + '/.cache')
  // eslint-disable-next-line no-unused-vars -- an old Node cannot parse a catch without a name
} catch (error) {
  // A home that does not exist or cannot be written: nothing is kept.
}
require('../dist/main.cjs')
