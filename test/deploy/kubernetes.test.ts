/**
 * The manifests fit Kubernetes' and KEDA's own schemas, and each other. deploy/kubernetes/validate.sh does the same with
 * kubeconform, several releases and unknown fields as errors.
 */
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication';
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
import { loadConfig, SETTINGS } from '../../src/config.ts';
import { type Manifest, readManifests } from './manifests.ts';

const KINDS = [
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Job,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  ScaledObject,
  Service,
  ServiceAccount,
  TriggerAuthentication,
];
const manifests = readManifests();
const workloads = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');

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

describe('the schemas', () => {
  test.each(manifests.map((each) => [`${each.kind} ${each.metadata.name}`, each] as const))(
    'take %s',
    (_name, manifest) => {
      validate(manifest);
    },
  );

  it('refuse what is wrong', () => {
    const serve = structuredClone(find('Deployment', 'backsolve-serve'));
    serve.spec.template.spec.containers[0].ports[0].containerPort = 'http';
    expect(() => validate(serve)).toThrow(/containerPort/);
    const { selector: _, ...spec } = find('Deployment', 'backsolve-serve').spec;
    expect(() => validate({ ...serve, spec })).toThrow(/selector/);
  });
});

describe('pods', () => {
  test.each(workloads.map((each) => [each.metadata.name, each] as const))(
    'of %s are locked down',
    (_name, workload) => {
      const { spec } = workload.spec.template;
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

  it('get settings that the service knows and takes', () => {
    const settings = find('ConfigMap', 'backsolve').data!;
    expect(Object.keys(settings).filter((name) => !(name in SETTINGS))).toEqual([]);
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

describe('everything that selects pods', () => {
  const labels = workloads.map(({ spec }) => spec.template.metadata.labels['app.kubernetes.io/name'] as string);

  it('selects some', () => {
    const selectors = manifests.flatMap(({ kind, spec }) => {
      if (kind === 'Service') return [spec.selector];
      if (kind === 'PodDisruptionBudget' || kind === 'Deployment') return [spec.selector.matchLabels];
      return kind === 'NetworkPolicy' ? [spec.podSelector.matchLabels ?? {}] : [];
    }) as Record<string, string>[];
    expect(selectors.length).toBeGreaterThan(6);
    const names = selectors.flatMap((selector) => selector['app.kubernetes.io/name'] ?? []);
    expect(names.filter((name) => !labels.includes(name))).toEqual([]);
  });

  it('scales deployments that leave their number open', () => {
    for (const [kind, name] of [
      ['HorizontalPodAutoscaler', 'backsolve-serve'],
      ['ScaledObject', 'backsolve-worker'],
    ] as const) {
      const target = find('Deployment', find(kind, name).spec.scaleTargetRef.name);
      expect(target.spec.replicas).toBeUndefined();
    }
  });
});
