const loopback = ['localhost', '127.0.0.1', '::1', '[::1]']

/**
 * Keeps requests to this machine off the proxy of `HTTP_PROXY`, which Node uses with `NODE_USE_ENV_PROXY=1` or
 * `--use-env-proxy`: a remote proxy would connect to itself. Requests to other addresses use the proxy.
 */
export function reachLoopbackDirectly(env: NodeJS.ProcessEnv): void {
  const named = env['no_proxy'] ?? env['NO_PROXY'] ?? ''
  const all = [...(named === '' ? [] : [named]), ...loopback].join(',')
  env['NO_PROXY'] = all
  if (env['no_proxy'] !== undefined) env['no_proxy'] = all
}
