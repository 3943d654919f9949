/** What lies beside a control file and a model may need. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { PestCase } from './case.ts';

/** Endings of files that only PEST and its relatives read and write. */
const OF_PEST =
  /\.(pst|tpl|ins|par\d*|parb|rei\d*|res|rec|jco|jcb|sen|seo|rmr|rmu|rst|rns|rnj|rnu|rsj|rsr|svd|mtt|jst|drf|fpr|log|cov|yaml|yml)$/i;
/** From here on copies slow every run down. */
const LARGE_BYTES = 100 * 1024 * 1024;

/** Names in the folder of the control file, without what PEST reads and what the model writes; and a sentence if they are large. */
export async function findModelFiles(
  { templates, instructions }: PestCase,
  folder: string,
): Promise<{ readonly names: readonly string[]; readonly note: string | undefined }> {
  const made = new Set([...templates.map(({ target }) => target), ...instructions.map(({ output }) => output)]);
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries
    .filter((entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isFile()))
    .filter((entry) => entry.isDirectory() || !OF_PEST.test(entry.name))
    .map(({ name }) => name)
    .filter((name) => !made.has(name) && !['node_modules', '__pycache__'].includes(name))
    .sort();
  let bytes = 0;
  for (const name of names) bytes += await sizeOf(path.join(folder, name), LARGE_BYTES - bytes);
  const note =
    bytes < LARGE_BYTES
      ? undefined
      : `Each run copies more than ${LARGE_BYTES / 1024 / 1024} MB: remove from copies what the model does not read.`;
  return { names, note };
}

/** Stops counting at `most`. */
async function sizeOf(file: string, most: number): Promise<number> {
  const stats = await stat(file).catch(() => undefined);
  if (stats === undefined || !stats.isDirectory()) return stats?.size ?? 0;
  let bytes = 0;
  for (const name of await readdir(file).catch(() => [])) {
    if (bytes >= most) break;
    bytes += await sizeOf(path.join(file, name), most - bytes);
  }
  return bytes;
}
