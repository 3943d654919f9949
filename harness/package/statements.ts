/**
 * Writes what lets others check the artefacts: their checksums, and a statement of where they come from, which the release workflow signs.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Artefact {
  readonly name: string;
  /** Hex SHA-256. */
  readonly sha256: string;
}

export async function hashArtefacts(folder: string, names: readonly string[]): Promise<readonly Artefact[]> {
  return Promise.all(
    [...names].sort().map(async (name) => ({
      name,
      sha256: createHash('sha256')
        .update(await readFile(join(folder, name)))
        .digest('hex'),
    })),
  );
}

/** As `sha256sum --check` reads it. */
export function writeChecksums(artefacts: readonly Artefact[]): string {
  return artefacts.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('');
}

export interface Origin {
  readonly repository: string;
  readonly commit: string;
  /** Whether the working tree differed from the commit. */
  readonly isChanged: boolean;
  readonly lockfileSha256: string;
  readonly node: string;
}

/** An in-toto statement with SLSA provenance v1 (slsa.dev/spec/v1.0/provenance). */
export function writeProvenance(artefacts: readonly Artefact[], origin: Origin): string {
  const { repository, commit, isChanged, lockfileSha256, node } = origin;
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: artefacts.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `${repository}/blob/main/docs/releasing.md`,
        externalParameters: { command: 'npm run package', isChanged },
        internalParameters: { node },
        resolvedDependencies: [
          { uri: `git+${repository}`, digest: { gitCommit: commit } },
          { name: 'package-lock.json', digest: { sha256: lockfileSha256 } },
        ],
      },
      runDetails: { builder: { id: `${repository}/blob/main/harness/package/build.ts` } },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}
