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
  // Folders are kustomizations of their own.
  const files = resources.filter((name) => name.endsWith('.yaml'));
  return files.flatMap((file) => readAll(path.join(below, file)));
}

/** The documents of a file, by its path from the folder of the manifests. */
export function readAll(file: string): readonly Manifest[] {
  return parseAllDocuments(readFileSync(path.join(folder, file), 'utf8')).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]!;
    return document.toJS() as Manifest;
  });
}
