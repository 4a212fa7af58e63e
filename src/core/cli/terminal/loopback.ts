const loopback = ['localhost', '127.0.0.1', '::1', '[::1]']

/**
 * Keeps what goes to this machine off the proxy that `HTTP_PROXY` names, which Node asks with `NODE_USE_ENV_PROXY=1` or
 * `--use-env-proxy`: a proxy elsewhere answers for its own loopback. Other addresses go by the proxy as its user wants.
 */
export function reachLoopbackDirectly(env: NodeJS.ProcessEnv): void {
  const named = env['no_proxy'] ?? env['NO_PROXY'] ?? ''
  const all = [...(named === '' ? [] : [named]), ...loopback].join(',')
  env['NO_PROXY'] = all
  if (env['no_proxy'] !== undefined) env['no_proxy'] = all
}
