import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { settings } from '../../../src/core/config.ts'

const folder = join(import.meta.dirname, '../../../deploy')
const read = (path: string) => readFileSync(join(folder, path), 'utf8')
const { resources } = parse(read('kubernetes/kustomization.yaml')) as { resources: string[] }
const objects = resources.flatMap((file) =>
  parseAllDocuments(read(`kubernetes/${file}`)).map((document) => document.toJS()),
)
const ofKind = (kind: string) => objects.filter((object) => object.kind === kind)
const variables = new Set(Object.values(settings).map(({ env }) => env as string))

describe('the manifests for Kubernetes', () => {
  test('are two deployments, for the API and for deliveries, each with a disruption budget', () => {
    const deployments = ofKind('Deployment').map(({ metadata }) => metadata.name)
    assert.deepEqual(deployments, ['tillgate-api', 'tillgate-delivery'])
    const budgets = ofKind('PodDisruptionBudget').map(({ metadata }) => metadata.name)
    assert.deepEqual(budgets, deployments)
  })

  for (const { metadata, spec } of ofKind('Deployment')) {
    const pod = spec.template.spec
    const [container] = pod.containers

    test(`${metadata.name} has no unneeded permission`, () => {
      assert.equal(pod.securityContext.runAsNonRoot, true)
      assert.equal(pod.securityContext.runAsUser, 65_532)
      assert.equal(pod.securityContext.seccompProfile.type, 'RuntimeDefault')
      assert.equal(pod.automountServiceAccountToken, false)
      const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = container.securityContext
      assert.deepEqual([allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities.drop], [false, true, ['ALL']])
      const mounted = container.volumeMounts.map(({ name, mountPath }: any) => `${name} ${mountPath}`)
      assert.deepEqual([mounted, pod.volumes], [['tmp /tmp'], [{ name: 'tmp', emptyDir: {} }]])
    })

    test(`${metadata.name} is probed at its operations address, which reports draining`, () => {
      const ports = new Map(container.ports.map(({ name, containerPort }: any) => [name, containerPort]))
      assert.equal(container.livenessProbe.httpGet.path, '/livez')
      assert.equal(container.readinessProbe.httpGet.path, '/readyz')
      const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe]
      for (const probe of probes) assert.equal(ports.get(probe.httpGet.port), 4748)
      const env = new Map<string, string>(container.env.map(({ name, value }: any) => [name, value]))
      assert.deepEqual(
        [...env.keys()].filter((name) => !variables.has(name)),
        [],
      )
      assert.equal(env.get('TILLGATE_OPERATIONS_ADDRESS'), '0.0.0.0:4748')
      const drain = Number(env.get('TILLGATE_DRAIN_SECONDS'))
      assert.ok(drain >= 5 && drain + 20 <= pod.terminationGracePeriodSeconds)
      assert.equal(pod.enableServiceLinks, false)
    })

    test(`${metadata.name} is selected by the labels of its pods`, () => {
      const { labels } = spec.template.metadata
      assert.deepEqual(spec.selector.matchLabels, labels)
      const budget = ofKind('PodDisruptionBudget').find(({ metadata: { name } }) => name === metadata.name)
      assert.deepEqual(budget?.spec.selector.matchLabels, labels)
      const policy = ofKind('NetworkPolicy').find(({ metadata: { name } }) => name === metadata.name)
      assert.deepEqual(policy?.spec.podSelector.matchLabels, labels)
    })
  }

  test('allow the deliveries to connect outside the cluster, and the API not', () => {
    const egress = new Map(ofKind('NetworkPolicy').map(({ metadata, spec }) => [metadata.name, spec.egress]))
    assert.deepEqual(egress.get('tillgate-delivery'), [{}])
    const ports = egress.get('tillgate-api').flatMap((rule: any) => rule.ports.map(({ port }: any) => port))
    assert.deepEqual(ports.toSorted(), [53, 53, 5432, 6432])
  })

  test('scale deliveries by due work and not by load', () => {
    const [scaler] = ofKind('HorizontalPodAutoscaler')
    assert.equal(scaler?.spec.scaleTargetRef.name, 'tillgate-delivery')
    assert.equal(scaler?.spec.metrics[0].external.metric.name, 'tillgate_delivery_oldest_due_seconds')
  })

  test('route the service to the pods of the API', () => {
    const [service] = ofKind('Service')
    assert.deepEqual(service?.spec.selector, ofKind('Deployment')[0]?.spec.selector.matchLabels)
    assert.equal(service?.spec.ports[0].targetPort, 'http')
  })
})

test('the compose file and the Dockerfile agree with the manifests on user, file system and settings', () => {
  const { services } = parse(read('image/compose.yaml'), { merge: true }) as { services: Record<string, any> }
  for (const name of ['api', 'delivery']) {
    const { user, read_only: readOnly, cap_drop: dropped, environment, image } = services[name]
    assert.deepEqual([user, readOnly, dropped], ['65532:65532', true, ['ALL']])
    assert.deepEqual(
      Object.keys(environment).filter((variable) => !variables.has(variable)),
      [],
    )
    const { version } = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8'))
    assert.equal(image, `tillgate:${version}`)
  }
  const dockerfile = read('image/Dockerfile')
  assert.match(dockerfile, /^USER 65532:65532$/m)
  const set = [...dockerfile.matchAll(/\b(TILLGATE_\w+)=/g)].map(([, name = '']) => name)
  assert.deepEqual(
    set.filter((name) => !variables.has(name)),
    [],
  )
})
