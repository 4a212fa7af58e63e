import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseSecret } from '../../../src/core/delivery/secrets.ts'
import { signatureHeaders } from '../../../src/core/delivery/sign.ts'
import { startApp } from '../../support/app.ts'
import { atEnd } from '../../support/database.ts'
import { freePort } from '../../support/ports.ts'
import { projectRoot as root } from '../../support/project-files.ts'
import { eventually } from '../../support/waiting.ts'

const fpm = ['php-fpm8.2', 'php-fpm8.3', 'php-fpm8.4', 'php-fpm'].find((name) => spawnSync(name, ['-v']).status === 0)
const nginx = spawnSync('nginx', ['-v']).status === 0
const skip = fpm === undefined || !nginx ? 'php-fpm and nginx are not installed' : false
if (skip) console.log(`receivers: ${skip}; PHP is not tested behind a web server`)

const isRoot = process.getuid?.() === 0

/** The Standard Webhooks library looks for headers like this: by their names in lower case. */
const library = `<?php namespace StandardWebhooks; class Webhook {
  function __construct(private string $secret) {}
  function verify($payload, $headers) {
    if (!isset($headers['webhook-id'], $headers['webhook-timestamp'], $headers['webhook-signature'])) throw new \\Exception('Missing required headers');
    $signed = $headers['webhook-id'] . '.' . $headers['webhook-timestamp'] . '.' . $payload;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, base64_decode(substr($this->secret, 6)), true));
    if (!in_array($expected, explode(' ', $headers['webhook-signature']), true)) throw new \\Exception('No matching signature found');
    return json_decode($payload, true);
  } }`

test(
  'under nginx and php-fpm the receiver and the documented sample accept the server’s signatures',
  { skip },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tillgate-fpm-'))
    const ended: (() => Promise<unknown>)[] = []
    atEnd(async () => {
      for (const end of ended) await end()
      await rm(folder, { recursive: true, force: true })
    })
    const at = (name: string) => join(folder, name)
    await mkdir(at('www'))
    await mkdir(at('box'))
    for (const name of ['', 'www', 'box']) await chmod(at(name), 0o777)
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const key = parseSecret(secret)
    assert.match(secret, /=$/, 'as each secret ends')
    await cp(join(root, 'receivers/php/receiver.php'), at('www/receiver.php'))

    const page = await readFile(join(root, 'docs/contract/webhooks.md'), 'utf8')
    const [, sample = ''] = /^```php\n([^]*?)^```$/m.exec(page) ?? []
    assert.match(sample, /getallheaders/)
    await writeFile(at('www/library.php'), library)
    await writeFile(at('www/sample.php'), `<?php require 'library.php';\n${sample}\necho $event['type'];`)

    // The line is from the page, with the secret inserted.
    const line = /`(env\[WEBHOOK_SECRETS\][^`]*)`/.exec(
      await readFile(join(root, 'docs/receivers/php.md'), 'utf8'),
    )?.[1]
    assert.ok(line, 'the page says how a pool gets the secret')
    const port = await freePort()
    await writeFile(
      at('fpm.conf'),
      `[global]\nerror_log = ${at('fpm.log')}\ndaemonize = no\n[www]\n${isRoot ? 'user = nobody\ngroup = nogroup\n' : ''}listen = ${at('fpm.sock')}
listen.mode = 0666\npm = static\npm.max_children = 2\n${line.replace('whsec_…=', secret)}\nenv[WEBHOOK_SECRET] = "${secret}"\nenv[RECEIVER_DIR] = ${at('box/inbox')}\n`,
    )
    await writeFile(
      at('nginx.conf'),
      `${isRoot ? 'user nobody nogroup;\n' : ''}daemon off; pid ${at('nginx.pid')}; error_log ${at('nginx.log')};
events {} http { access_log off; client_body_temp_path ${at('body')}; fastcgi_temp_path ${at('fastcgi')}; proxy_temp_path ${at('proxy')}; uwsgi_temp_path ${at('uwsgi')}; scgi_temp_path ${at('scgi')};
server { listen 127.0.0.1:${port}; root ${at('www')};
location ~ \\.php$ { fastcgi_pass unix:${at('fpm.sock')}; include /etc/nginx/fastcgi_params; fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name; } } }`,
    )
    for (const [program, ...args] of [
      [fpm as string, '-F', '-y', at('fpm.conf')],
      ['nginx', '-e', at('nginx.log'), '-c', at('nginx.conf')],
    ]) {
      const child = spawn(program as string, args, { stdio: 'ignore' })
      const exit = once(child, 'exit')
      ended.push(async () => (child.kill('SIGTERM'), exit))
    }
    const url = `http://127.0.0.1:${port}`
    const isUp = () =>
      fetch(`${url}/library.php`).then(
        ({ status }) => status === 200,
        () => false,
      )
    await eventually(isUp, 'nginx and php-fpm answer')

    const app = await startApp()
    const { data } = (await app.get('/v1/events/')).json
    assert.deepEqual(data, [])
    const body = Buffer.from(
      JSON.stringify({
        id: 'evt_00000000000040008000000000000001_0badcafe_1_order-paid',
        type: 'order.paid',
        timestamp: '2026-03-14T12:00:00.000Z',
        locationId: app.location,
        sequence: 1,
        data: {},
      }),
    )
    const { id } = JSON.parse(body.toString()) as { id: string }
    const post = async (path: string, changed = body) => {
      const headers = {
        ...signatureHeaders({ id, timestampS: Math.floor(Date.now() / 1000), body, keys: key ? [key] : [] }),
      }
      const answer = await fetch(`${url}/${path}`, { method: 'POST', headers, body: changed })
      return [answer.status, await answer.text()] as const
    }
    const [status, text] = await post('receiver.php')
    assert.equal(status, 204, text)
    assert.equal((await post('receiver.php', Buffer.from(body.toString().replace('paid', 'made'))))[0], 400)
    assert.equal((await readdir(at('box/inbox/inbox'))).filter((name) => name.endsWith('.json')).length, 1)
    assert.deepEqual(await post('sample.php'), [200, 'order.paid'])
  },
)
