/** The chart of deploy/helm, as `helm template` renders it: the manifests of deploy/kubernetes with the changes that the values ask for. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { type Manifest, readManifests } from './manifests.ts';

const CHART = new URL('../../deploy/helm/backsolve', import.meta.url).pathname;
const helm = process.env['HELM'] ?? 'helm';
/** Helm is one program, which a machine with Go installs: go install helm.sh/helm/v3/cmd/helm@latest. */
const isMissing = spawnSync(helm, ['version']).status !== 0;
if (isMissing) console.log('NOT CHECKED: the chart, because there is no helm on PATH or in HELM.');

function rendered(...flags: readonly string[]): ReadonlyMap<string, Manifest> {
  const release = ['template', 'one', CHART, '--namespace', 'here', '--kube-version', '1.30.0'];
  // Helm says on standard error that the manifests are a link.
  const text = execFileSync(helm, [...release, ...flags], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const found = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
  return new Map(found.map((manifest) => [`${manifest.kind}/${manifest.metadata.name}`, manifest]));
}

const EVALUATORS = ['--set', 'service.enabled=false', '--set', 'evaluators.image=registry.example/black-box:1'];
const namesOf = (manifests: readonly Manifest[]) =>
  manifests
    .filter(({ kind }) => kind !== 'Namespace')
    .map(({ kind, metadata }) => `${kind}/${metadata.name}`)
    .sort();

test.skipIf(isMissing)('the chart passes the checks of helm', () => {
  for (const kind of ['none', 'jobs', 'deployment']) {
    const flags = ['--strict', '--kube-version', '1.30.0', '--set', `evaluators.kind=${kind}`];
    execFileSync(helm, ['lint', CHART, ...flags], { stdio: 'pipe' });
  }
});

test.skipIf(isMissing)(
  'the service in the chart is that of the manifests, with the image and the namespace of the release',
  () => {
    const found = rendered('--set', 'service.image=registry.example/backsolve:2');
    const shipped = readManifests();
    expect([...found.keys()].sort()).toEqual(namesOf(shipped));
    for (const manifest of shipped.filter(({ kind }) => kind !== 'Namespace')) {
      const made = structuredClone(found.get(`${manifest.kind}/${manifest.metadata.name}`)!);
      expect(made.metadata).toMatchObject({ namespace: 'here' });
      for (const container of made.spec?.template?.spec?.containers ?? []) {
        expect(container.image).toBe('registry.example/backsolve:2');
        container.image = 'backsolve';
      }
      expect([made.spec, made.data]).toEqual([manifest.spec, manifest.data]);
    }
  },
);

test.skipIf(isMissing)('evaluators in the chart are Jobs or a Deployment', () => {
  const pods = rendered(...EVALUATORS, '--set', 'evaluators.kind=deployment');
  expect([...pods.keys()].sort()).toEqual(namesOf(readManifests('evaluators')));
  const jobs = rendered(...EVALUATORS, '--set', 'evaluators.kind=jobs');
  const shared = [...pods.keys()].filter((name) => !/^(Deployment|ScaledObject|PodDisruptionBudget)/.test(name));
  expect([...jobs.keys()].sort()).toEqual([...shared, 'ScaledJob/backsolve-evaluator'].sort());
  const [container] = jobs.get('ScaledJob/backsolve-evaluator')!.spec.jobTargetRef.template.spec.containers;
  expect(container).toMatchObject({ image: 'registry.example/black-box:1' });
});

test.skipIf(isMissing)('overrides change a manifest deeply, and one that names no manifest is refused', () => {
  const changed = rendered('--set-string', 'overrides.ConfigMap/backsolve.data.LOG_LEVEL=debug');
  const { data } = readManifests().find(({ kind }) => kind === 'ConfigMap')!;
  expect(changed.get('ConfigMap/backsolve')!.data).toEqual({ ...data, LOG_LEVEL: 'debug' });
  expect(() => rendered('--set', 'overrides.ConfigMap/other.data.A=1')).toThrow(/there is no ConfigMap\/other/);
  expect([...rendered('--set', 'keda=false').keys()].filter((name) => /Scaled|Trigger/.test(name))).toEqual([]);
});

test('the chart and its image have the version of the product', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const read = (name: string) => parse(readFileSync(`${CHART}/${name}`, 'utf8')) as Record<string, unknown>;
  expect(read('Chart.yaml')).toMatchObject({ version, appVersion: version });
  expect(read('values.yaml')).toMatchObject({ service: { image: `backsolve:${version}` } });
});
