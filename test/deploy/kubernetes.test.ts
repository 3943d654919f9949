/**
 * The manifests match the schemas of Kubernetes and KEDA, and each other. deploy/kubernetes/validate.sh does the same with
 * kubeconform, for several releases and with unknown fields as errors.
 */
import { BlockList } from 'node:net';
import { ScaledJob } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledJob';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication';
import fc from 'fast-check';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import { describe, expect, it, test } from 'vitest';
import { isPublicAddress } from '../../src/outside/webhooks/target-guard.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { SETTING_NAMES } from '../../tools/settings-page.ts';
import { type Manifest, readAll, readManifests } from './manifests.ts';

const KINDS = [
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Job,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  ScaledJob,
  ScaledObject,
  Service,
  ServiceAccount,
  TriggerAuthentication,
];
const manifests = readManifests();
const evaluators = readManifests('evaluators');
const [scaledJob] = readManifests('evaluator-jobs') as [Manifest];
const workloads = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
const evaluator = evaluators.find(({ kind }) => kind === 'Deployment')!;

function validate(manifest: Manifest): void {
  const Kind = KINDS.find((each) => each.is(manifest));
  if (Kind === undefined) throw new Error(`no schema for ${manifest.apiVersion} ${manifest.kind}`);
  new Kind(manifest as never).validate();
}

function find(kind: string, name: string): Manifest {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

describe('the schemas of Kubernetes and KEDA', () => {
  test.each(
    [...manifests, ...evaluators, scaledJob].map((each) => [`${each.kind} ${each.metadata.name}`, each] as const),
  )('accept %s', (_name, manifest) => {
    validate(manifest);
  });

  it('accept the policy of the database that fails over, which waits for a standby and serves the pods of the service', () => {
    const [cluster, policy] = readAll('../cloudnative-pg/cluster.yaml') as [Manifest, Manifest];
    validate(policy);
    expect(cluster.spec.instances).toBeGreaterThan(2);
    expect(cluster.spec.postgresql.synchronous).toEqual({ method: 'any', number: 1, dataDurability: 'required' });
    expect(policy.spec.podSelector.matchLabels).toEqual({ 'cnpg.io/cluster': cluster.metadata.name });
    const admitted = policy.spec.ingress[0].from[1].podSelector.matchExpressions[0].values;
    expect(admitted.sort()).toEqual(workloads.map(({ metadata }) => metadata.name).sort());
  });

  it('refuse a wrong manifest', () => {
    const serve = structuredClone(find('Deployment', 'backsolve-serve'));
    serve.spec.template.spec.containers[0].ports[0].containerPort = 'http';
    expect(() => validate(serve)).toThrow(/containerPort/);
    const { selector: _, ...spec } = find('Deployment', 'backsolve-serve').spec;
    expect(() => validate({ ...serve, spec })).toThrow(/selector/);
  });
});

describe('pods', () => {
  test.each([...workloads, evaluator, scaledJob].map((each) => [`${each.kind} ${each.metadata.name}`, each] as const))(
    'of %s are locked down',
    (_name, workload) => {
      const { spec } = (workload.spec.jobTargetRef ?? workload.spec).template;
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      for (const container of spec.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources.requests).toMatchObject({ cpu: expect.anything(), memory: expect.anything() });
        expect(container.resources.limits.memory).toBeDefined();
      }
    },
  );

  it('of evaluators differ between Deployment and Jobs in what they evaluate and how long they live', () => {
    const pods = evaluator.spec.template.spec;
    const jobs = scaledJob.spec.jobTargetRef.template.spec;
    const { args, ...container } = pods.containers[0];
    expect(jobs).toEqual({
      ...pods,
      restartPolicy: 'Never',
      containers: [{ ...container, args: [args[0], '--once', '--drain', '60', ...args.slice(3)] }],
    });
    expect(args.slice(1, 3)).toEqual(['--jobs', '1']);
    const autoscaler = evaluators.find(({ kind }) => kind === 'ScaledObject')!;
    expect(scaledJob.spec.triggers).toEqual(autoscaler.spec.triggers);
  });

  it('get settings that exist and are valid', () => {
    const settings = find('ConfigMap', 'backsolve').data!;
    expect(Object.keys(settings).filter((name) => !SETTING_NAMES.has(name))).toEqual([]);
    const config = loadConfig(settings);
    for (const name of ['backsolve-serve', 'backsolve-worker']) {
      const { spec } = find('Deployment', name).spec.template;
      const preStopMs = 1_000 * (spec.containers[0].lifecycle?.preStop.sleep.seconds ?? 0);
      expect(spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(config.shutdownGraceMs + preStopMs + 5_000);
    }
    const ports = (name: string) =>
      find('Deployment', name).spec.template.spec.containers[0].ports.map(
        (port: { containerPort: number }) => port.containerPort,
      );
    expect(ports('backsolve-serve')).toEqual([config.http.port, config.telemetry.metricsPort]);
    expect(ports('backsolve-worker')).toEqual([config.worker.healthPort]);
  });
});

describe('secrets', () => {
  it('Secrets give the role that owns the schema to the migrations only, and the restricted role to everything else', () => {
    const used = Object.fromEntries(workloads.map((each) => [each.metadata.name, secretsOf(each)]));
    expect(used).toEqual({
      'backsolve-migrate': ['backsolve-owner'],
      'backsolve-serve': ['backsolve'],
      'backsolve-worker': ['backsolve'],
    });
    const { secretTargetRef } = find('TriggerAuthentication', 'backsolve-database').spec;
    expect(secretTargetRef.map(({ name }: { name: string }) => name)).toEqual(['backsolve']);
  });

  it('Secrets are read into settings that exist', () => {
    const names = workloads.flatMap(({ spec }) => spec.template.spec.containers[0].env.map(nameOf));
    expect(names.filter((name) => !SETTING_NAMES.has(name))).toEqual([]);
  });
});

describe('the network policies', () => {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
  const egressOf = (name: string): readonly EgressRule[] =>
    policies
      .filter(({ spec }) => matches(spec.podSelector, name))
      .flatMap(({ spec }) => (spec.egress ?? []) as EgressRule[]);

  it('allow egress only to named destinations and ports', () => {
    for (const { metadata, spec } of policies) {
      for (const rule of (spec.egress ?? []) as EgressRule[]) {
        expect(rule.to?.length, metadata.name).toBeGreaterThan(0);
        expect(rule.ports?.length, metadata.name).toBeGreaterThan(0);
      }
    }
    const everything = find('NetworkPolicy', 'backsolve-default').spec;
    expect(everything).toMatchObject({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    expect(everything.ingress).toBeUndefined();
  });

  it.each([
    ['backsolve-migrate', [53, 5432]],
    ['backsolve-serve', [53, 4318, 5432]],
    ['backsolve-worker', [53, 443, 4318, 5432]],
  ])('let %s out on the ports %j', (name, expected) => {
    const ports = new Set(egressOf(name).flatMap((rule) => rule.ports!.map(({ port }) => port)));
    expect([...ports].sort((a, b) => a - b)).toEqual([...expected].sort((a, b) => a - b));
  });

  it('allow webhooks to reach exactly the addresses that the product calls', () => {
    const rules = egressOf('backsolve-worker').filter(({ ports }) => ports!.some(({ port }) => port === 443));
    const blocks = rules.flatMap(({ to }) => to!.map(({ ipBlock }) => ipBlock!));
    const isLetOut = (address: string): boolean => {
      const family = address.includes(':') ? 'ipv6' : 'ipv4';
      return blocks.some(({ cidr, except }) => {
        const [taken, refused] = [toBlockList([cidr], family), toBlockList(except ?? [], family)];
        return taken.check(address, family) && !refused.check(address, family);
      });
    };
    const edges = blocks.flatMap(({ except }) => except!).flatMap(edgesOf);
    expect(edges.length).toBeGreaterThan(60);
    for (const address of SPECIAL) expect([address, isLetOut(address)]).toEqual([address, false]);
    for (const address of edges) expect([address, isLetOut(address)]).toEqual([address, isPublicAddress(address)]);
    fc.assert(fc.property(fc.ipV4(), (address) => isLetOut(address) === isPublicAddress(address)));
    // Other notations of an IPv4 address are not destinations of packets.
    const routed = fc.ipV6().filter((address) => !/^::ffff:|^64:ff9b:|\./i.test(address));
    fc.assert(fc.property(routed, (address) => isLetOut(address) === isPublicAddress(address)));
  });
});

/** One address of each block that is not globally reachable. */
const SPECIAL = [
  ...['0.0.0.1', '10.1.2.3', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.16.0.1', '192.0.0.8', '192.0.2.1'],
  ...['192.88.99.1', '192.168.1.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '255.255.255.255'],
  ...['::1', 'fc00::1', 'fd12:3456::1', 'fe80::1', 'ff02::1', '2001::1', '2001:db8::1', '2002:a00:1::1', '3fff::1'],
];

interface EgressRule {
  readonly to?: readonly { readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] } }[];
  readonly ports?: readonly { readonly port: number }[];
}

interface PodSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { readonly operator: string; readonly values: readonly string[] }[];
}

function matches({ matchLabels, matchExpressions }: PodSelector, name: string): boolean {
  const isNamed = matchLabels === undefined || matchLabels['app.kubernetes.io/name'] === name;
  return (
    isNamed && (matchExpressions ?? []).every(({ operator, values }) => operator === 'In' && values.includes(name))
  );
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

/** Names of all secrets that the pods of a workload refer to. */
function secretsOf({ spec }: Manifest): readonly string[] {
  const text = JSON.stringify(spec.template.spec, (key, value) =>
    key === 'secretKeyRef' || key === 'secretRef' || key === 'secret' ? { secretNamed: value.name } : value,
  );
  return [...new Set(Array.from(text.matchAll(/"secretNamed":"([^"]+)"/g), ([, name]) => name!))];
}

function toBlockList(nets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const net of nets) {
    const [address, bits] = net.split('/') as [string, string];
    if (address.includes(':') === (family === 'ipv6')) list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** The first and the last address of a block, and their neighbours outside. */
function edgesOf(net: string): readonly string[] {
  const [address, bits] = net.split('/') as [string, string];
  const isIpv6 = address.includes(':');
  const length = isIpv6 ? 128n : 32n;
  const first = isIpv6 ? fromIpv6(address) : address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const last = first + (1n << (length - BigInt(bits))) - 1n;
  const inside = [first - 1n, first, last, last + 1n].filter((value) => value >= 0n && value < 1n << length);
  return inside.map((value) => (isIpv6 ? toIpv6(value) : toIpv4(value)));
}

function fromIpv6(address: string): bigint {
  const [head, tail] = address.split('::') as [string, string | undefined];
  const front = head.split(':').filter((group) => group !== '');
  const back = (tail ?? '').split(':').filter((group) => group !== '');
  const groups = [...front, ...new Array<string>(8 - front.length - back.length).fill('0'), ...back];
  return groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

function toIpv6(value: bigint): string {
  const digits = value.toString(16).padStart(32, '0');
  return digits.match(/.{4}/g)!.join(':');
}

function toIpv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
}

describe('every selector of pods', () => {
  const labels = workloads.map(({ spec }) => spec.template.metadata.labels['app.kubernetes.io/name'] as string);

  it('selects at least one', () => {
    const selectors = manifests.flatMap(({ kind, spec }) => {
      if (kind === 'Service') return [spec.selector];
      if (kind === 'PodDisruptionBudget' || kind === 'Deployment') return [spec.selector.matchLabels];
      return kind === 'NetworkPolicy' ? [spec.podSelector.matchLabels ?? {}] : [];
    }) as Record<string, string>[];
    expect(selectors.length).toBeGreaterThan(6);
    const names = selectors.flatMap((selector) => selector['app.kubernetes.io/name'] ?? []);
    expect(names.filter((name) => !labels.includes(name))).toEqual([]);
  });

  it('scales only deployments that leave their number of replicas open', () => {
    for (const [kind, name] of [
      ['HorizontalPodAutoscaler', 'backsolve-serve'],
      ['ScaledObject', 'backsolve-worker'],
    ] as const) {
      const target = find('Deployment', find(kind, name).spec.scaleTargetRef.name);
      expect(target.spec.replicas).toBeUndefined();
    }
  });
});

describe('evaluators', () => {
  const findOne = (kind: string) => {
    const [found, ...others] = evaluators.filter((each) => each.kind === kind);
    expect(others).toEqual([]);
    return found!;
  };

  it('are apart from the service: in a namespace of their own, with one secret that holds no database', () => {
    const namespace = findOne('Namespace').metadata.name;
    expect(namespace).not.toBe(manifests.find(({ kind }) => kind === 'Namespace')!.metadata.name);
    expect(secretsOf(evaluator)).toEqual(['backsolve-evaluator']);
    const [container] = evaluator.spec.template.spec.containers;
    expect(container.env.map(nameOf)).toEqual(['BACKSOLVE_API_KEY']);
  });

  it('call the service by its name and port, and nothing else', () => {
    const settings = findOne('ConfigMap').data!;
    expect(Object.keys(settings).filter((name) => !SETTING_NAMES.has(name))).toEqual([]);
    const service = find('Service', 'backsolve');
    const serviceNamespace = manifests.find(({ kind }) => kind === 'Namespace')!.metadata.name;
    expect(settings['BACKSOLVE_URL']).toBe(`http://${service.metadata.name}.${serviceNamespace}`);
    const { podSelector, policyTypes, ingress, egress } = findOne('NetworkPolicy').spec;
    expect({ podSelector, policyTypes, ingress }).toEqual({
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
      ingress: undefined,
    });
    expect(egress).toHaveLength(2);
    expect(egress[1].to).toEqual([
      {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': serviceNamespace } },
        podSelector: { matchLabels: service.spec.selector },
      },
    ]);
    const target = find('Deployment', 'backsolve-serve').spec.template.spec.containers[0].ports.find(
      ({ name }: { name: string }) => name === service.spec.ports[0].targetPort,
    );
    expect(egress[1].ports).toEqual([{ protocol: 'TCP', port: target.containerPort }]);
  });

  it('are scaled by a metric of the service, from none, and finish what they run', () => {
    const { scaleTargetRef, triggers, minReplicaCount } = findOne('ScaledObject').spec;
    expect(scaleTargetRef.name).toBe(evaluator.metadata.name);
    expect(evaluator.spec.replicas).toBeUndefined();
    expect(minReplicaCount).toBe(0);
    expect(triggers.map(({ type }: { type: string }) => type)).toEqual(['prometheus']);
    const labels = evaluator.spec.template.metadata.labels;
    expect(findOne('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
    const { terminationGracePeriodSeconds, containers } = evaluator.spec.template.spec;
    expect(terminationGracePeriodSeconds).toBeGreaterThan(3_600);
    const { args } = containers[0];
    expect(args.slice(0, 3)).toEqual(['evaluate', '--jobs', triggers[0].metadata.threshold]);
    // The only folder that may be written.
    expect(args[args.indexOf('--work') + 1]).toMatch(/^\/tmp\//);
  });
});
