/** Lists files beside a problem of another program that its model may need. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** Files that only PEST and its relatives read and write. */
const OF_PEST =
  /\.(pst|tpl|ins|par\d*|parb|rei\d*|res|rec|jco|jcb|sen|seo|rmr|rmu|rst|rns|rnj|rnu|rsj|rsr|svd|mtt|jst|drf|fpr|log|cov|yaml|yml)$/i;
const SKIPPED = ['node_modules', '__pycache__'];

export function isOfPest(name: string): boolean {
  return OF_PEST.test(name);
}

/** From here on copies slow every run down. */
const LARGE_BYTES = 100 * 1024 * 1024;

/** Names in a folder, without the files that `isLeftOut` names; and a sentence if they are large. */
export async function findModelFiles(
  folder: string,
  isLeftOut: (name: string) => boolean,
): Promise<{ readonly names: readonly string[]; readonly note: string | undefined }> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries
    .filter((entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isFile()))
    .filter((entry) => (entry.isDirectory() ? !SKIPPED.includes(entry.name) : !isLeftOut(entry.name)))
    .map(({ name }) => name)
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
