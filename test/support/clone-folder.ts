/** Folders in which commands run as in a clone. */
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Everything of a clone that documented commands and problem files start. */
const ENTRIES = ['package.json', '.npmrc', 'bin', 'src', 'clients', 'tools', 'bench', 'migrations', 'node_modules'];

/** Links the entries into a folder, which exists and has none of them. */
export async function linkClone(folder: string): Promise<void> {
  for (const entry of ENTRIES) await symlink(path.join(ROOT, entry), path.join(folder, entry));
}
