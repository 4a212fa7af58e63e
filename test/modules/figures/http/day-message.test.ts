import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { DayMessage } from '../../../../src/modules/figures/schemas/day-message.ts'
import { assertProblem, okay } from '../../../core/conformance/contract.ts'
import { startApp } from '../../../support/app.ts'
import { cash, dish, foldAll, soldOn, zOn } from '../../../support/books-site.ts'
import { main, start, stop } from '../../../support/cli.ts'
import { atEnd } from '../../../support/database.ts'
import { projectRoot } from '../../../support/project-files.ts'
import { idOf, order, report } from '../../../support/records.ts'
import { needs } from '../../../support/tools.ts'
import { eventually } from '../../../support/waiting.ts'

const app = await startApp({ clock: () => new Date('2026-03-15T12:00:00.000Z') })
const site = await app.addLocation()

const discount = { discountName: 'Ami', discountValue: 2, discountCatalogId: idOf('discount', 1) }

// Saturday the 14th: 11.00 by card, and 22.00 in cash after 2.00 of discounts; 8.00 canceled. The Saturday before:
// 30.00.
const orders = {
  7: [
    soldOn(site, 7, 1, {
      items: [dish(1, 30, 2.73)],
      total: 30,
      totalTax: 2.73,
      payments: [{ ...cash, paymentAmount: 30 }],
    }),
  ],
  14: [
    soldOn(site, 14, 1),
    soldOn(site, 14, 2, {
      items: [dish(1, 22, 2, { discountsApplied: [discount] })],
      total: 22,
      totalTax: 2,
      totalDiscount: 2,
      payments: [{ ...cash, paymentAmount: 22 }],
      guests: 3,
    }),
  ],
}
const canceled = soldOn(site, 14, 3, {
  items: [dish(1, 8, 0.73)],
  total: 0,
  totalTax: 0,
  payments: [],
  isCanceled: true,
})
await app.store(
  [
    ...[...orders[7], ...orders[14], canceled].map(order),
    report(zOn(site, 7, orders[7], { reportNumber: 1 })),
    report(zOn(site, 14, [...orders[14], canceled], { reportNumber: 2 })),
  ],
  site.key,
)
await foldAll(app, site)

const read = (query: string, headers: Record<string, string> = {}) =>
  app.get(`/v1/business-days/2026-03-14/message${query}`, { key: site.key, headers })

test('the message compares a day with earlier ones, and contains payments, taxes, deductions and the closings of the tills', async () => {
  const message = okay(await read(''), DayMessage)
  assert.equal(message.subject, 'Bistro Exemple, Saturday, 14 March 2026: €33.00 (+10%)')
  assert.equal(
    message.text,
    [
      'Bistro Exemple, Paris – Saturday, 14 March 2026',
      '',
      'Sales incl. tax: €33.00',
      'of which VAT: €3.00',
      'Orders: 2',
      'Guests: 4',
      'Average order: €16.50',
      '',
      'Compared with other days',
      'Same day last week: €30.00 (+10%)',
      // Before the first day with data it is not known whether something was sold.
      'Same weekday last year: no data',
      'Average of four weeks: €30.00 (+10%)',
      '',
      'Payments',
      'Espèces: €22.00',
      'Carte bancaire: €11.00',
      '',
      'VAT: net + tax',
      '10%: €30.00 + €3.00',
      '',
      'Deductions',
      'Canceled orders: 1 · €8.00',
      'Canceled items: none',
      'Losses: none',
      'Discounts: 1 · €2.00',
      '',
      'Closing of the tills',
      'Z 2, Caisse 1: agrees with its orders',
      'The day is complete.',
      '',
    ].join('\n'),
  )
})

test('in French amounts and dates are French, and the HTML alone or the text alone can be requested', async () => {
  const french = okay(await read('?language=fr'), DayMessage)
  // Amounts contain non-breaking spaces, as in French.
  const spaced = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')
  assert.equal(spaced(french.subject), 'Bistro Exemple, samedi 14 mars 2026 : 33,00 € (+10 %)')
  assert.match(spaced(french.text), /^Même jour la semaine dernière : 30,00 € \(\+10 %\)$/m)
  assert.match(spaced(french.text), /^Commandes annulées : 1 · 8,00 €$/m)
  const html = await read('?language=fr&format=html')
  assert.equal(html.headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(html.text, french.html)
  const text = await read('?language=fr', { accept: 'text/plain' })
  assert.equal(text.headers['content-type'], 'text/plain; charset=utf-8')
  assert.equal(text.text, french.text)
  assertProblem(await read('?language=de'), { status: 400, code: 'validation_failed' })
})

test('text from a till is escaped in the HTML, and the subject marks a day that needs attention', async () => {
  const place = await app.addLocation()
  const hostile = '<script>alert(1)</script>\u202e"&'
  const sold = soldOn(place, 14, 1, {
    payments: [{ ...cash, paymentName: hostile, paymentAmount: 11 }],
    reportId: null,
  })
  await app.store([order(sold)], place.key)
  const { json } = await app.get('/v1/business-days/2026-03-14/message', { key: place.key })
  assert.ok(json.html.includes('&lt;script&gt;alert(1)&lt;/script&gt; &quot;&amp;'))
  assert.doesNotMatch(json.html, /<script|\u202e/)
  assert.doesNotMatch(json.text, /\u202e/)
  assert.match(json.subject, / – to check$/)
  assert.match(json.text, /^No Z report yet\.$/m)
  assert.match(json.text, /^The day is not complete\.$/m)
  // A status closes the day without a Z.
  const at = '2026-03-15T04:00:00.000Z'
  await app.store([{ type: 'device.status', data: { deviceId: sold.deviceId, at, completeUntil: at } }], place.key)
  const { text } = (await app.get('/v1/business-days/2026-03-14/message', { key: place.key })).json
  assert.match(text, /Closing of the tills\nThe day is complete\.$/m)
})

test('a day with more means of payment than are listed states how many more there are', async () => {
  const place = await app.addLocation()
  const payments = Array.from({ length: 32 }, (_, n) => ({ ...cash, paymentName: `Voucher ${n}`, paymentAmount: 1 }))
  await app.store([order(soldOn(place, 14, 1, { payments }))], place.key)
  const { text } = (await app.get('/v1/business-days/2026-03-14/message', { key: place.key })).json
  assert.match(text, /\nPayments\n(Voucher \d+: .+\n){30}And 2 more\.\n/)
})

test('a day without sales needs no attention, even while the next Z of its till is awaited', async () => {
  const place = await app.addLocation()
  const sold = soldOn(place, 13, 1)
  await app.store([order(sold), report(zOn(place, 13, [sold], { reportNumber: 1 }))], place.key)
  const day = (await app.get('/v1/business-days/2026-03-14', { key: place.key })).json
  assert.deepEqual([day.status, day.waitingFor.length], ['open', 1])
  const { json } = await app.get('/v1/business-days/2026-03-14/message', { key: place.key })
  assert.doesNotMatch(json.subject, /to check/)
  assert.match(json.text, /^No sales and no Z report\.$/m)
  assert.doesNotMatch(json.text, /has not closed|not complete/)
})

test('a count of which only a hundred ids or numbers are listed is a lower bound', async () => {
  const place = await app.addLocation()
  const sold = [soldOn(place, 13, 1), soldOn(place, 14, 2)] as const
  const lost = Array.from({ length: 150 }, (_, n) => soldOn(place, 13, 1000 + n))
  const reports = [
    zOn(place, 13, [sold[0], ...lost], { reportNumber: 1 }),
    zOn(place, 14, [sold[1]], { reportNumber: 200 }),
  ]
  await app.store([...sold.map(order), ...reports.map(report)], place.key)
  const textOf = async (day: number, language: string) =>
    (await app.get(`/v1/business-days/2026-03-${day}/message?language=${language}`, { key: place.key })).json.text
  assert.match(await textOf(13, 'en'), /^In a Z report but missing: at least 100\.$/m)
  assert.match(await textOf(14, 'fr'), /^Et au moins 90 de plus\.$/m)
})

/** Starts a mail server (RFC 5321) that stores received mail. */
async function takeMail(): Promise<{ port: number; mails: string[] }> {
  const mails: string[] = []
  const server = createServer((socket) => {
    let isData = false
    let text = ''
    socket.write('220 here\r\n')
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString()
      if (isData && text.endsWith('\r\n.\r\n')) {
        mails.push(text.slice(0, -5))
        text = ''
        isData = false
        socket.write('250 taken\r\n')
      } else if (!isData && text.endsWith('\r\n')) {
        isData = /^DATA/im.test(text)
        if (/^QUIT/im.test(text)) socket.end('221 bye\r\n')
        else socket.write(isData ? '354 go on\r\n' : '250 ok\r\n')
        text = ''
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(async () => void server.close())
  return { port: (server.address() as AddressInfo).port, mails }
}

test(
  'a complete day is mailed by the program that listen runs, and none is missed in between',
  needs('python3'),
  async () => {
    const { port, mails } = await takeMail()
    const directory = await mkdtemp(join(tmpdir(), 'tillgate-mail-'))
    atEnd(() => rm(directory, { recursive: true }))
    const position = join(directory, 'mailed')
    const program = join(projectRoot, 'receivers/python/mail-the-day.py')
    const mail = { MAIL_FROM: 'till@example.test', MAIL_TO: 'owner@example.test', MAIL_LANGUAGE: 'fr' }
    const listen = (host: string, ...flags: string[]) =>
      start(
        process.execPath,
        [
          main,
          'listen',
          '--url',
          app.url,
          '--types',
          'day.completed',
          '--after',
          '0',
          '--run',
          program,
          '--position',
          position,
          ...flags,
        ],
        {
          env: { ...process.env, TILLGATE_URL: app.url, TILLGATE_KEY: site.key, ...mail, MAIL_HOST: host },
        },
      )
    // No mail server responds: the command fails, and the position is unchanged.
    const failed = await listen('127.0.0.1:1', '--json').ended
    assert.equal(failed.code, 2)
    assert.match(
      failed.stderr,
      /"code":"run_failed","message":".+ ended with exit code 1 for evt_\S+: start again to run it again for this event/,
    )
    const listening = listen(`127.0.0.1:${port}`)
    await eventually(() => mails.length === 2, 'both days are mailed')
    assert.equal((await stop(listening, 'SIGINT')).code, 0)
    const [, second] = mails
    const { json } = await read('?language=fr')
    const decode = `import sys,email,email.policy;m=email.message_from_bytes(sys.stdin.buffer.read(),policy=email.policy.default);print(m["subject"]);print(m.get_body(("plain",)).get_content())`
    const decoded = execFileSync('python3', ['-c', decode], {
      input: second ?? '',
      encoding: 'utf8',
      env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
    })
    assert.equal(decoded.replaceAll('\r\n', '\n'), `${json.subject}\n${json.text}\n`)
    // After a restart, the program has nothing to do.
    const again = listen(`127.0.0.1:${port}`)
    await eventually(() => again.written.stderr.includes('Listening'), 'it listens')
    assert.equal((await stop(again, 'SIGINT')).code, 0)
    assert.equal(mails.length, 2)
  },
)
