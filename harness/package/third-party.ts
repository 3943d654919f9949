/** The packages of others in what is built: their licences, which must go with them, and the list of them (SBOM, CycloneDX 1.6). */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface ThirdParty {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Text of its licence and NOTICE; without these what its README says of the licence, or its author. */
  readonly text: string;
}

/** The packages of npm that the files are part of, by name. */
export async function readThirdParties(files: readonly string[]): Promise<readonly ThirdParty[]> {
  const folders = new Set(files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []));
  const found = await Promise.all([...folders].map(readThirdParty));
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function readThirdParty(folder: string): Promise<ThirdParty> {
  const { name, version, license, licenses, author } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const files = await readdir(folder);
  const read = async (file: string) => (await readFile(join(folder, file), 'utf8')).trim();
  const named = [/^(licen[cs]e|copying)/i, /^notice/i].flatMap((one) => files.find((file) => one.test(file)) ?? []);
  const readme = named.length === 0 ? files.find((file) => /^readme/i.test(file)) : undefined;
  const [section] = /^#+ *licen[cs]e[\s\S]*/im.exec(readme === undefined ? '' : await read(readme)) ?? [];
  const texts = await Promise.all(named.map(read));
  if (named.length === 0)
    texts.push(section ?? 'No text of its licence.', `Author: ${author?.name ?? author ?? 'not stated'}`);
  const stated = license ?? licenses?.map(({ type }: { type: string }) => type).join(' OR ');
  return { name, version, license: String(stated ?? 'NOASSERTION'), text: texts.join('\n\n') };
}

export function writeNotices(parties: readonly ThirdParty[]): string {
  const intro = 'Backsolve contains the following packages, each under its own licence.';
  const entries = parties.map(({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}`);
  return `${[intro, ...entries].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** A requirement that an installation fetches beside the package. */
export interface Requirement {
  readonly ecosystem: 'npm' | 'pypi';
  readonly name: string;
  /** As the package states it. */
  readonly range: string;
}

export function writeSbom(
  version: string,
  parties: readonly ThirdParty[],
  requirements: readonly Requirement[],
): string {
  const built = parties.map((party) => ({
    type: 'library',
    name: party.name,
    version: party.version,
    licenses: [{ expression: party.license }],
    purl: `pkg:npm/${party.name.replace('@', '%40')}@${party.version}`,
    scope: 'required',
  }));
  const required = requirements.map(({ ecosystem, name, range }) => ({
    type: 'library',
    name,
    purl: `pkg:${ecosystem}/${name}`,
    scope: 'required',
    properties: [{ name: 'backsolve:range', value: range }],
  }));
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name: 'backsolve', version } },
    components: [...built, ...required],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
