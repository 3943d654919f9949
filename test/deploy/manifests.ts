/** The Kubernetes manifests as kustomize would read them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has a specification of its own
  readonly spec?: any;
}

const folder = new URL('../../deploy/kubernetes/', import.meta.url).pathname;

/** Those of the service, or those of a folder below. */
export function readManifests(below = ''): readonly Manifest[] {
  const at = path.join(folder, below);
  const { resources } = parse(readFileSync(path.join(at, 'kustomization.yaml'), 'utf8')) as { resources: string[] };
  return resources.flatMap((file) =>
    parseAllDocuments(readFileSync(path.join(at, file), 'utf8')).map((document) => {
      if (document.errors.length > 0) throw document.errors[0]!;
      return document.toJS() as Manifest;
    }),
  );
}
