import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { parseAddressRange, toAddressRange } from '../../../../src/core/domain/addresses/addresses.ts'
import { checkEndpointUrl, checkUri, type EndpointPolicy } from '../../../../src/core/contract/webhooks/endpoint-url.ts'

const strict: EndpointPolicy = { allowHttp: false, allowAddresses: [] }
const demo: EndpointPolicy = {
  allowHttp: true,
  allowAddresses: ['127.0.0.0/8', '::1'].map((text) => {
    const range = parseAddressRange(text)
    assert.ok(range)
    return range
  }),
}

const codeOf = (url: string, policy = strict) => checkEndpointUrl(url, policy)?.code

test('ordinary https URLs are accepted', () => {
  const good = [
    'https://example.com',
    'https://example.com/',
    'https://example.com:8443/hook?a=1&b=/x//y@z',
    'HTTPS://EXAMPLE.com/',
  ]
  good.push(
    'https://8.8.8.8/hook',
    'https://[2606:4700::1111]/hook',
    'https://bücher.example/ü',
    'https://example.com./',
  )
  for (const url of good) assert.equal(checkEndpointUrl(url, strict), null, url)
})

test('the answer to an invalid URL contains the valid URL that is meant', () => {
  const good = ['https://example.com', 'HTTPS://EXAMPLE.com:8443/a?b=/x//y@z%C3%BC', 'https://[2606:4700::1111]/hook']
  for (const url of good) assert.equal(checkUri(url), null, url)
  const meant: [string, string][] = [
    ['https://bücher.example/ü?é=1', 'https://xn--bcher-kva.example/%C3%BC?%C3%A9=1'],
    ['https://example.com/{id}', 'https://example.com/%7Bid%7D'],
    ['https://example.com/a[1]|b', 'https://example.com/a%5B1%5D%7Cb'],
    ['https://example.com/100%', 'https://example.com/100%25'],
    ['https://[2606:4700::1111]/ü', 'https://[2606:4700::1111]/%C3%BC'],
  ]
  for (const [url, uri] of meant) {
    assert.ok(checkUri(url)?.detail.endsWith(`Send ${uri}`), url)
    assert.equal(checkUri(uri), null, uri)
  }
})

test('http is refused unless it is allowed, other schemes always', () => {
  assert.equal(codeOf('http://example.com/'), 'endpoint_url_scheme')
  assert.equal(codeOf('http://example.com/', demo), undefined)
  const others = ['ftp://example.com/', 'file:///etc/passwd', 'javascript:alert(1)', 'mailto:a@example.com', 'data:,x']
  others.push('gopher://example.com/', 'ws://example.com/', 'unix:/run/x.sock', 'blob:https://example.com/x')
  for (const url of others) assert.equal(codeOf(url, demo), 'endpoint_url_scheme', url)
})

test('anything but a strict absolute URL is invalid', () => {
  const bad = [
    '',
    '/hook',
    'hook',
    '//example.com/hook',
    'example.com/hook',
    'https://',
    'https:///',
    'https://?x',
    'https://:443/',
  ]
  bad.push(
    'https:example.com',
    'https:/example.com',
    'https:///example.com',
    'https:\\\\example.com\\',
    'https://exa mple.com/',
  )
  bad.push(
    ' https://example.com/',
    'https://example.com/\n',
    'https://exam\tple.com/',
    'https://example.com/a b',
    'https://example.com\\@x/',
  )
  bad.push(
    'https://example.com:99999/',
    'https://example.com:0/',
    'https://1.2.3.4.5/',
    'https://[::1',
    'https://[fe80::1%25eth0]/',
  )
  bad.push('https://example.com/#part', 'https://exa%00mple.com/', 'https://[::ffff:1.2.3.4.5]/', 'https://256.1.1.1/')
  for (const url of bad) assert.equal(codeOf(url, demo), 'endpoint_url_invalid', JSON.stringify(url))
})

test('credentials are refused, empty ones included', () => {
  for (const url of [
    'https://u:p@example.com/',
    'https://u@example.com/',
    'https://@example.com/',
    'https://:@example.com/',
  ]) {
    assert.equal(codeOf(url), 'endpoint_url_credentials', url)
  }
  assert.equal(codeOf('https://example.com/@user?x=a@b'), undefined)
})

test('2,048 characters are accepted, and one more is not', () => {
  const url = 'https://example.com/'
  assert.equal(codeOf(url.padEnd(2048, 'a')), undefined)
  assert.equal(codeOf(url.padEnd(2049, 'a')), 'endpoint_url_too_long')
})

test('refused addresses are recognized in every spelling', () => {
  const spellings = [
    '127.0.0.1',
    '127.1',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '127.0.0.1.',
  ]
  spellings.push(
    '%31%32%37.0.0.1',
    '１２７.0.0.1',
    '127。0。0。1',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
  )
  spellings.push(
    '[::ffff:7f00:1]',
    '0',
    '0.0.0.0',
    '[::]',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    '169.254.169.254',
  )
  spellings.push(
    '[64:ff9b::a9fe:a9fe]',
    '[2002:a00:1::]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '10.0.0.1',
    '100.64.0.1',
    '224.0.0.1',
  )
  for (const host of spellings) assert.equal(codeOf(`https://${host}/hook`), 'endpoint_url_address', host)
})

test('the allow-list allows its addresses, in every spelling', () => {
  for (const host of ['127.0.0.1', '127.1', '0x7f000001', 'localhost', '[::1]', '[::ffff:127.0.0.1]']) {
    assert.equal(codeOf(`http://${host}:3000/hook`, demo), undefined, host)
  }
  assert.equal(codeOf('http://10.0.0.1/', demo), 'endpoint_url_address')
})

test('the error names the address, its kind and the way to allow it', () => {
  assert.deepEqual(checkEndpointUrl('https://0xa.1/', strict), {
    code: 'endpoint_url_address',
    detail:
      'The address 10.0.0.1 is not allowed: private. For a receiver on your own machine, use ' +
      '`tillgate listen --forward <url>`; the operator can allow it with --allow-address <CIDR>.',
  })
  const detailOf = (url: string) => checkEndpointUrl(url, strict)?.detail ?? ''
  assert.match(detailOf('http://pos.example/hook'), /tillgate listen --forward <url>.*--allow-http\.$/)
  assert.match(detailOf('https://localhost:3000/'), /tillgate listen --forward <url>.*--allow-address <CIDR>\.$/)
  assert.doesNotMatch(detailOf('ftp://pos.example/'), /listen/)
})

test('an address of the calling machine is refused like a private one, unless it is allowed', () => {
  const own: EndpointPolicy = { ...strict, isOwnAddress: (address) => address === '8.8.8.8' }
  const detail = checkEndpointUrl('https://8.8.8.8/hook', own)?.detail
  assert.match(String(detail), /^The address 8\.8\.8\.8 is not allowed: an address of this machine\./)
  assert.equal(codeOf('https://134744072/', own), 'endpoint_url_address')
  assert.equal(codeOf('https://8.8.4.4/', own), undefined)
  const allowed = { ...own, allowAddresses: [toAddressRange('8.8.8.0/24')] }
  assert.equal(codeOf('https://8.8.8.8/', allowed), undefined)
})

test('no text makes it throw, and an accepted text is https to a host that is not a refused address', () => {
  const urls = fc.oneof(
    fc.string(),
    fc.webUrl({ withQueryParameters: true }),
    fc.tuple(fc.constantFrom('https://', 'http://', 'https:'), fc.string()).map((parts) => parts.join('')),
    fc
      .tuple(
        fc.oneof(
          fc.ipV4Extended(),
          fc.ipV6().map((v6) => `[${v6}]`),
        ),
        fc.webPath(),
      )
      .map(([h, p]) => `https://${h}${p}`),
  )
  fc.assert(
    fc.property(urls, (url) => {
      const refusal = checkEndpointUrl(url, strict)
      if (refusal) return assert.match(refusal.detail, /^The .*\.$/s)
      const parsed = new URL(url)
      assert.equal(parsed.protocol, 'https:')
      assert.equal(parsed.username + parsed.password + parsed.hash, '')
    }),
    { numRuns: 1000 },
  )
})

test('the error for a refused source does not mention receivers', () => {
  const policy = { allowHttp: false, allowAddresses: [], isSource: true }
  for (const url of ['http://pos.example/v1', 'https://127.0.0.1/v1', 'https://localhost/v1'])
    assert.match(checkEndpointUrl(url, policy)?.detail ?? '', /\. The operator can allow it with --allow-\w+/)
})
