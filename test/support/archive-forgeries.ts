import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { chainHash, commitTo } from '../../src/core/domain/journal/chain.ts'
import { leafHash, RightEdge } from '../../src/modules/proofs/domain/merkle.ts'
import { signNote } from '../../src/modules/proofs/domain/notes.ts'
import type { Files } from './archived-years.ts'

/** A change by a forger who has the files but no key. */
export type Forgery = {
  name: string
  /** The year whose archive the forger changes; by default the first. */
  year?: 2026
  change: (files: Forged) => void
  /** The fault that each verifier reports. */
  says: RegExp
  /**
   * Only the manifest reveals the forgery: with `--unsigned` the archive is accepted, and the forged part is listed as
   * not checked.
   */
  isOfManifest?: true
  /** Makes the manifest and the checksums; by default `Forged.seal`, which makes valid ones. */
  seal?: (files: Forged) => void
}

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')
const own = generateKeyPairSync('ed25519').privateKey

/** Files of an archive that a forger can change. */
export class Forged {
  readonly files: Files
  /** The archive of the unchanged year, and the proofs of growth, which anyone can request from the server. */
  readonly other: Files
  readonly growthFrom: (size: number) => string

  constructor(files: Files, other: Files, growthFrom: (size: number) => string) {
    this.files = new Map(files)
    this.other = other
    this.growthFrom = growthFrom
  }

  text(name: string): string {
    return String(this.files.get(name))
  }

  set(name: string, text: string | Buffer): void {
    this.files.set(name, Buffer.from(text))
  }

  edit(name: string, change: (text: string) => string): void {
    const [before, after] = [this.text(name), change(this.text(name))]
    if (before === after) throw new Error(`nothing of ${name} was changed`)
    this.set(name, after)
  }

  json(name: string, change: (of: any) => any): void {
    const of = JSON.parse(this.text(name))
    this.set(name, JSON.stringify(change(of) ?? of))
  }

  lines(name: string, change: (lines: any[]) => unknown): void {
    const lines = this.text(name)
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
    const changed = change(lines)
    this.set(name, (Array.isArray(changed) ? changed : lines).map((line) => `${JSON.stringify(line)}\n`).join(''))
  }

  names(start: string): string[] {
    return [...this.files.keys()].filter((name) => name.startsWith(start))
  }

  get journal(): string {
    return this.names('journal/')[0] as string
  }

  /** Changes entries, and recomputes every hash, the tree and the end of the journal. */
  rechain(change: (entries: any[]) => unknown): void {
    const start = JSON.parse(this.text('start.json'))
    const edge = new RightEdge()
    let [hash, last] = [start.hash as string, 0]
    this.lines(this.journal, (lines) => {
      change(lines)
      const entries = lines
      for (const entry of entries) {
        if (commitTo(entry.salt, entry.document) !== entry.commitment && !entry.isBlanked)
          entry.commitment = commitTo(entry.salt, entry.document)
        hash = chainHash(hash, { ...entry, locationId: start.location, epoch: start.epoch })
        entry.hash = hash
        last = entry.seq
        edge.add(leafHash(Buffer.from(hash, 'hex')))
      }
      return entries
    })
    const root = edge.root().toString('base64')
    this.json('end.json', (end) => ({ ...end, toSequence: last, size: edge.size, hash, root }))
  }

  /** Ends the journal after an entry, and updates all parts that anyone can compute or request. */
  cutAfter(seq: number): void {
    const start = JSON.parse(this.text('start.json'))
    const edge = new RightEdge()
    let hash = start.hash as string
    this.lines(this.journal, (lines) => {
      const entries = lines.filter((entry) => entry.seq <= seq)
      for (const entry of entries) {
        hash = entry.hash
        edge.add(leafHash(Buffer.from(hash, 'hex')))
      }
      return entries
    })
    const root = edge.root().toString('base64')
    this.json('end.json', (end) => ({ ...end, toSequence: seq, size: edge.size, hash, root }))
    const [, note = ''] = /\n\n([\s\S]*)$/.exec(this.text('growth.txt')) ?? []
    this.set('growth.txt', edge.size === 0 ? `old 0\n\n${note}` : this.growthFrom(edge.size))
    for (const name of this.names('checkpoints/'))
      if (Number.parseInt(name.slice(12), 10) > edge.size) this.files.delete(name)
  }

  /** Writes a valid manifest and checksums. By default the manifest has no note, because no forger can sign one. */
  seal({ keepsNote = false } = {}): void {
    const notes = keepsNote ? ['manifest.note', 'manifest-keys.txt'] : []
    for (const name of ['manifest.note', 'manifest-keys.txt']) if (!keepsNote) this.files.delete(name)
    const manifest = JSON.parse(this.text('manifest.json'))
    const apart = new Set(['manifest.json', 'manifest.note', 'manifest-keys.txt', 'sha256sums.txt'])
    manifest.files = [...this.files.keys()]
      .filter((name) => !apart.has(name))
      .toSorted()
      .map((file) => {
        const bytes = this.files.get(file) as Buffer
        return { file, bytes: bytes.length, sha256: sha256(bytes) }
      })
    this.set('manifest.json', `${JSON.stringify(manifest, null, 2)}\n`)
    this.sum(notes)
  }

  /** Writes `sha256sums.txt` to match the manifest. */
  sum(notes: string[] = []): void {
    const { files } = JSON.parse(this.text('manifest.json'))
    const sums = files.map((one: any) => `${one.sha256}  ${one.file}\n`)
    for (const name of ['manifest.json', ...notes]) sums.push(`${sha256(this.files.get(name) as Buffer)}  ${name}\n`)
    this.set('sha256sums.txt', sums.join(''))
  }

  /** Replaces the signature of a note with one by a key of the forger, which has the same name. */
  signByForger(name: string): void {
    this.edit(name, (note) => {
      const at = note.lastIndexOf('\n\n')
      const [head, text] = note.startsWith('old ')
        ? [note.slice(0, note.indexOf('\n\n') + 2), note.slice(note.indexOf('\n\n') + 2, at + 1)]
        : ['', note.slice(0, at + 1)]
      return (
        head +
        signNote(text, text.split('\n')[0] as string, [createPrivateKey(own.export({ type: 'pkcs8', format: 'pem' }))])
      )
    })
  }
}

const orderLine = (entries: any[]) => entries.find(({ kind }) => kind === 'order')
const changedTotal = (document: string) => document.replace('"total":11', '"total":99')

const changesTicket = (line: (forged: Forged, entry: any) => any) => (forged: Forged) => {
  let left: any
  forged.lines(forged.journal, (entries) => {
    const entry = entries.find(({ seq }) => seq === 4)
    entry.salt = 'a'.repeat(32)
    entry.document = changedTotal(entry.document)
    left = entry
  })
  forged.lines('redactions.ndjson', (lines) => [...lines, line(forged, left)])
}

const entriesOf = ({ seq, salt, document }: any) => [
  { sequence: seq, pointers: ['/operatorName'], commitment: commitTo(salt, document) },
]

const movesSalt = (at: number) => (forged: Forged) =>
  forged.lines(forged.journal, (entries) => {
    const entry = orderLine(entries.slice(3))
    const text = entry.salt + entry.document
    entry.salt = text.slice(0, at)
    entry.document = text.slice(at)
  })

const closing = (forged: Forged, period: string, number: number, change: (one: any) => void) =>
  forged.lines('closings.ndjson', (lines) =>
    change(lines.find((one) => one.period === period && one.number === number)),
  )

/** Forgeries of every part. Each has a valid manifest and checksums, unless it has its own `seal`. */
export const forgeries: Forgery[] = [
  {
    name: 'a ticket changed, and a redaction that nobody signed',
    change: changesTicket((_, entry) => ({ sequence: 28, entries: entriesOf(entry), proof: null })),
    says: /redactions\.ndjson: the redaction 28 has no proof/,
  },
  {
    name: 'a ticket changed, and a redaction with the proof of another',
    change: changesTicket((forged, entry) => {
      const [, { proof }] = forged
        .text('redactions.ndjson')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)) as any
      return { sequence: 28, entries: entriesOf(entry), proof }
    }),
    says: /redactions\.ndjson: the redaction 28 has the proof of another entry/,
  },
  {
    name: 'a ticket changed, and named in a redaction that was signed',
    change: (forged) => {
      changesTicket(() => null)(forged)
      let left: any
      forged.lines(forged.journal, (entries) => void (left = entries.find(({ seq }) => seq === 4)))
      forged.lines('redactions.ndjson', (lines) => {
        lines.pop()
        lines.at(-1).entries.push(...entriesOf(left))
      })
    },
    says: /redactions\.ndjson: the redaction 26 differs from its entry/,
  },
  {
    name: 'a ticket changed',
    change: (forged) =>
      forged.lines(forged.journal, (entries) => void (entries[3].document = changedTotal(entries[3].document))),
    says: /journal\/000000000001\.ndjson: entry 4 has a document that does not match its commitment/,
  },
  {
    name: 'a ticket changed and chained anew',
    change: (forged) => forged.rechain((entries) => void (entries[3].document = changedTotal(entries[3].document))),
    says: /the older checkpoint is not the beginning|the proof does not lead/,
  },
  {
    name: 'half a ticket moved into its salt',
    change: movesSalt(200),
    says: /entry \d+ the salt is not 32 hex digits/,
  },
  {
    name: 'a ticket emptied into its salt',
    change: movesSalt(100_000),
    says: /entry \d+ the salt is not 32 hex digits/,
  },
  { name: 'a salt cut after 8 digits', change: movesSalt(8), says: /entry \d+ the salt is not 32 hex digits/ },
  {
    name: 'a salt in capital letters',
    change: (forged) =>
      forged.lines(forged.journal, ([one]) => void (one.salt = one.salt.toUpperCase().replace(/\d/, 'A'))),
    says: /entry 1 the salt is not 32 hex digits/,
  },
  {
    name: 'the last entries cut off',
    change: (forged) => forged.cutAfter(16),
    says: /the closing of the year has 21 entries from 1 to 21, but the archive has 16/,
  },
  {
    name: 'the last entries cut off, and the closings made shorter',
    change: (forged) => {
      forged.cutAfter(14)
      forged.lines('closings.ndjson', (lines) => {
        const days = lines.filter(({ period, number }) => period === 'day' && number < 3)
        const year = lines.find(({ period }) => period === 'year')
        return [...days, { ...year, last: 2, toSequence: 14, entries: 14 }]
      })
    },
    says: /closings\.ndjson: the closing of day 2 is not in the journal of the archive and has no proof/,
  },
  {
    name: 'the year of which nothing is left',
    change: (forged) => {
      forged.cutAfter(0)
      forged.files.delete(forged.journal)
    },
    says: /the archive has no entry/,
  },
  {
    name: 'a year that goes on into the next one',
    change: (forged) => {
      const more = String([...forged.other].find(([name]) => name.startsWith('journal/'))?.[1])
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
      forged.lines(forged.journal, (entries) => [...entries, ...more.slice(0, 3)])
      forged.cutAfter(24)
    },
    says: /the closing of the year has 21 entries from 1 to 21, but the archive has 24/,
  },
  {
    name: 'an entry left out of the middle',
    change: (forged) => forged.lines(forged.journal, (entries) => entries.filter(({ seq }) => seq !== 5)),
    says: /entry 6 was changed/,
  },
  {
    name: 'an entry twice',
    change: (forged) => forged.lines(forged.journal, (entries) => [entries[0], ...entries]),
    says: /entry 1 (was changed|follows)/,
  },
  {
    name: 'two entries exchanged',
    change: (forged) => forged.lines(forged.journal, ([a, b, c, ...rest]) => [a, c, b, ...rest]),
    says: /entry 3 was changed/,
  },
  {
    name: 'an entry with a field that nobody hashed',
    change: (forged) => forged.lines(forged.journal, (entries) => void (entries[3].note = 'refunded')),
    says: /entry 4 has the wrong format/,
  },
  {
    name: 'an entry with two documents, of which others read the first',
    change: (forged) =>
      forged.edit(forged.journal, (text) => text.replace('"document":', '"document":"{}","document":')),
    says: /journal\/\d+\.ndjson: line 1 has the wrong format/,
  },
  {
    name: 'a number that is a text',
    change: (forged) => forged.lines(forged.journal, (entries) => void (entries[3].seq = '4')),
    says: /entry 4 the entry is incomplete or malformed/,
  },
  {
    name: 'events that were joined',
    change: (forged) =>
      forged.lines(forged.journal, (entries) => {
        const entry = entries.find(({ types }) => types.length > 1)
        entry.types = [entry.types.join(',')]
      }),
    says: /the entry is incomplete or malformed/,
  },
  {
    name: 'a file of the journal under another name',
    change: (forged) => {
      forged.set('journal/000000000002.ndjson', forged.text(forged.journal))
      forged.files.delete('journal/000000000001.ndjson')
    },
    says: /entry 1 is the first in a file that is named after another one/,
  },
  {
    name: 'every total of the closings doubled',
    change: (forged) =>
      forged.lines('closings.ndjson', (lines) => lines.forEach((one) => (one.totals.salesInclTax *= 2))),
    says: /closings\.ndjson: the closing of day 1 differs from the journal/,
  },
  ...(
    [
      ['day', 3],
      ['month', 1],
      ['year', 1],
    ] as const
  ).map(([period, number]): Forgery => ({
    name: `the closing of ${period} ${number}, which lies behind the year, changed`,
    change: (forged) => closing(forged, period, number, (one) => (one.totals.tax += 1)),
    says: new RegExp(`closings\\.ndjson: the closing of ${period} ${number} differs from the journal`),
  })),
  {
    name: 'the closing of a day left out',
    change: (forged) =>
      forged.lines('closings.ndjson', (lines) =>
        lines.filter(({ period, number }) => period !== 'day' || number !== 2),
      ),
    says: /closings\.ndjson: the closing of day 2 is missing/,
  },
  {
    name: 'the closing of the year left out',
    change: (forged) => forged.lines('closings.ndjson', (lines) => lines.filter(({ period }) => period !== 'year')),
    says: /closings\.ndjson: the closing of the year is missing/,
  },
  {
    name: 'no closings',
    change: (forged) => forged.set('closings.ndjson', ''),
    says: /closings\.ndjson: the closing of the year is missing/,
  },
  {
    name: 'a closing twice',
    change: (forged) => forged.lines('closings.ndjson', (lines) => [lines[0], ...lines]),
    says: /closings\.ndjson: the closing of day 1 is duplicated/,
  },
  {
    name: 'a closing with two totals, of which others read the first',
    change: (forged) => forged.edit('closings.ndjson', (text) => text.replace('"totals":', '"totals":{},"totals":')),
    says: /closings\.ndjson: line 1 has the wrong format/,
  },
  {
    name: 'a closing of another year in addition',
    change: (forged) => forged.lines('closings.ndjson', (lines) => [...lines, { ...lines[0], number: 9 }]),
    says: /closings\.ndjson: the closing of day 9 is not in the journal of the archive and has no proof/,
  },
  {
    name: 'an issued batch changed',
    change: (forged) => forged.edit('books/batch-0001.json', (text) => text.replace(/"debit":\d+/, '"debit":1')),
    says: /books\/batch-0001\.json differs from the journal/,
  },
  {
    name: 'an issued batch left out',
    change: (forged) => void forged.files.delete('books/batch-0001.json'),
    says: /books\/batch-0001\.json is missing/,
  },
  {
    name: 'a batch that was issued after the year changed',
    change: (forged) => forged.edit('books/batch-0002.json', (text) => text.replace(/"debit":\d+/, '"debit":1')),
    says: /books\/batch-0002\.json differs from the journal/,
  },
  {
    name: 'a batch under another name',
    change: (forged) => {
      forged.set('books/batch-0003.json', forged.text('books/batch-0002.json'))
      forged.files.delete('books/batch-0002.json')
    },
    says: /books\/batch-0003\.json does not contain the batch in its name/,
  },
  {
    name: 'a batch of nobody',
    change: (forged) =>
      forged.set('books/batch-0007.json', forged.text('books/batch-0001.json').replace('"number":1', '"number":7')),
    says: /books\/batch-0007\.json is not in the journal/,
  },
  {
    name: 'accounts changed',
    change: (forged) => forged.edit('books/accounts-v1.json', (text) => text.replace('C1', 'C2')),
    says: /books\/accounts-v1\.json differs from the journal/,
  },
  {
    name: 'accounts where nothing was set',
    change: (forged) => forged.set('books/accounts-v0.json', '{"version":0,"own":{"tills":{}}}'),
    says: /books\/accounts-v0\.json differs from the journal/,
  },
  {
    name: 'accounts left out',
    change: (forged) => void forged.files.delete('books/accounts-v1.json'),
    says: /books\/accounts-v1\.json is missing/,
  },
  {
    name: 'a file in FEC format that does not balance',
    change: (forged) =>
      forged.edit(forged.names('books/').find((name) => name.includes('FEC')) as string, (text) =>
        text.replace('11,00', '12,00'),
      ),
    says: /FEC20260331\.txt: the entry \S+ does not balance/,
  },
  {
    name: 'a checkpoint left out',
    change: (forged) => void forged.files.delete('checkpoints/7.note'),
    says: /checkpoints\/7\.note is missing/,
  },
  {
    name: 'a checkpoint of the key of a forger',
    change: (forged) => forged.signByForger('checkpoints/7.note'),
    says: /checkpoints\/7\.note differs from the journal/,
  },
  {
    name: 'a checkpoint under the name of another',
    change: (forged) => {
      forged.set('checkpoints/8.note', forged.text('checkpoints/7.note'))
      forged.files.delete('checkpoints/7.note')
    },
    says: /checkpoints\/8\.note covers 7 entries/,
  },
  {
    name: 'redactions left out',
    change: (forged) => forged.set('redactions.ndjson', ''),
    says: /redactions\.ndjson: the redaction 9 is missing/,
  },
  {
    name: 'the redaction after the year left out',
    change: (forged) => forged.lines('redactions.ndjson', ([one]) => [one]),
    says: /entry 3 has a document that does not match its commitment/,
  },
  {
    name: 'a redaction twice',
    change: (forged) => forged.lines('redactions.ndjson', ([one, ...rest]) => [one, one, ...rest]),
    says: /redactions\.ndjson: the redaction 9 is duplicated/,
  },
  {
    name: 'the proof of a redaction taken away',
    change: (forged) => forged.lines('redactions.ndjson', (lines) => void (lines[1].proof = null)),
    says: /redactions\.ndjson: the redaction 26 has no proof/,
  },
  {
    name: 'the proof of a redaction changed',
    change: (forged) =>
      forged.lines(
        'redactions.ndjson',
        (lines) => void (lines[1].proof = lines[1].proof.replace(/index \d+/, 'index 2')),
      ),
    says: /redactions\.ndjson: the redaction 26 has an invalid proof/,
  },
  {
    name: 'no proofs',
    change: (forged) => forged.set('proofs.ndjson', ''),
    says: /closings\.ndjson: the closing of day 3 is not in the journal of the archive and has no proof/,
  },
  {
    name: 'proofs of another year',
    change: (forged) => forged.set('proofs.ndjson', forged.other.get('proofs.ndjson') as Buffer),
    says: /closings\.ndjson: the closing of day 3 is not in the journal of the archive and has no proof/,
  },
  {
    name: 'a proof under the number of another entry',
    change: (forged) => forged.lines('proofs.ndjson', (lines) => void (lines[0].proof = lines[1].proof)),
    says: /proofs\.ndjson: the proof of \d+ belongs to another entry/,
  },
  {
    name: 'no growth',
    change: (forged) => void forged.files.delete('growth.txt'),
    says: /growth\.txt is missing: no checkpoint covers the year/,
  },
  {
    name: 'a growth that a forger signed',
    change: (forged) => forged.signByForger('growth.txt'),
    says: /growth\.txt: the checkpoint is not signed by this key/,
  },
  {
    name: 'a growth of another year',
    change: (forged) => forged.set('growth.txt', forged.other.get('growth.txt') as Buffer),
    says: /growth\.txt does not begin at the 21 entries/,
  },
  {
    name: 'a tree that begins elsewhere',
    year: 2026,
    change: (forged) => forged.json('start.json', (start) => void (start.size += 1)),
    says: /the subtrees do not match 22 entries/,
  },
  {
    name: 'a subtree changed',
    year: 2026,
    change: (forged) => forged.json('start.json', (start) => void (start.edge[0].hash = 'a'.repeat(64))),
    says: /end\.json has a different root than the tree/,
  },
  {
    name: 'the subtrees of nothing',
    year: 2026,
    change: (forged) => forged.json('start.json', (start) => ({ ...start, size: 0, edge: [] })),
    says: /end\.json does not match the end of the journal/,
  },
  {
    name: 'another location',
    change: (forged) =>
      forged.json('manifest.json', (of) => void (of.location = '7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11')),
    says: /manifest\.json and start\.json have different locations/,
  },
  {
    name: 'another location everywhere',
    change: (forged) =>
      ['manifest.json', 'start.json'].forEach((name) =>
        forged.json(name, (of) => void (of.location = '7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11')),
      ),
    says: /entry 1 was changed/,
  },
  {
    name: 'another epoch',
    change: (forged) => forged.json('start.json', (of) => void (of.epoch = '00000000')),
    says: /entry 1 was changed/,
  },
  {
    name: 'another fiscal year',
    change: (forged) => forged.json('manifest.json', (of) => void (of.fiscalYear = 2026)),
    says: /manifest\.json is for 2026, but the closing is for the year that ends on 2026-03-31/,
  },
  {
    name: 'an end that says more than there is',
    change: (forged) => forged.json('end.json', (of) => void (of.toSequence = 25)),
    says: /end\.json does not match the end of the journal/,
  },
  {
    name: 'a table changed',
    change: (forged) => forged.edit(forged.names('tables/orders/')[0] as string, (text) => text.replace('11', '99')),
    says: /tables\/orders\/\S+ differs from tables\/manifest\.json/,
  },
  {
    name: 'a table left out',
    change: (forged) => void forged.files.delete(forged.names('tables/orders/')[0] as string),
    says: /tables\/orders\/\S+ is missing/,
  },
  {
    name: 'a table and its manifest changed',
    isOfManifest: true,
    change: (forged) => {
      const name = forged.names('tables/orders/')[0] as string
      const before = sha256(forged.files.get(name) as Buffer)
      forged.edit(name, (text) => text.replace('11', '99'))
      forged.edit('tables/manifest.json', (text) => text.replace(before, sha256(forged.files.get(name) as Buffer)))
    },
    says: /the manifest is not signed by this key/,
  },
  {
    name: 'a text changed',
    isOfManifest: true,
    change: (forged) => forged.edit('LISEZ-MOI.txt', (text) => text.replace('Archive', 'archive')),
    says: /the manifest is not signed by this key/,
  },
  {
    name: 'nothing but the signature of the manifest taken away',
    isOfManifest: true,
    change: () => {},
    says: /the manifest is not signed by this key/,
  },
  {
    name: 'the manifest of another content, with its note',
    change: (forged) => forged.edit('LISEZ-MOI.txt', (text) => text.replace('Archive', 'archive')),
    seal: (forged) => forged.seal({ keepsNote: true }),
    says: /manifest\.json was changed: manifest\.note has another sum/,
  },
  {
    name: 'the note of the manifest of another year',
    change: (forged) => forged.set('manifest.note', forged.other.get('manifest.note') as Buffer),
    seal: (forged) => forged.seal({ keepsNote: true }),
    says: /manifest\.json was changed: manifest\.note has another sum/,
  },
  {
    name: 'a text left out',
    change: (forged) => void forged.files.delete('READ-ME.txt'),
    says: /READ-ME\.txt is missing/,
  },
  {
    name: 'a program added',
    change: (forged) => forged.set('open-me.exe', 'MZ'),
    says: /"open-me\.exe" is not a file of an archive/,
  },
  {
    name: 'a file added that the manifest does not name',
    change: () => {},
    seal: (forged) => {
      forged.seal()
      forged.set('books/batch-0009.json', '{}')
    },
    says: /books\/batch-0009\.json is not in the manifest/,
  },
  {
    name: 'a file that the manifest names twice',
    change: () => {},
    seal: (forged) => {
      forged.seal()
      forged.json('manifest.json', (of) => void of.files.push(of.files[0]))
      forged.sum()
    },
    says: /LISEZ-MOI\.txt is in the manifest twice/,
  },
  {
    name: 'a name that leads out of the archive',
    change: () => {},
    seal: (forged) => {
      forged.seal()
      forged.json('manifest.json', (of) => void of.files.push({ ...of.files[0], file: '../../etc/passwd' }))
      forged.sum()
    },
    says: /"\.\.\/\.\.\/etc\/passwd" is not a file of an archive/,
  },
  {
    name: 'a line of sha256sums.txt left out',
    change: () => {},
    seal: (forged) => {
      forged.seal()
      forged.edit('sha256sums.txt', (text) => text.replace(/^.*\n/, ''))
    },
    says: /sha256sums\.txt was changed/,
  },
]
