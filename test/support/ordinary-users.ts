/** Users without rights over the files of an installation. */
import { spawnSync } from 'node:child_process';

export interface User {
  /** As options of child_process; absent for the user of this process. */
  readonly ids?: { readonly uid: number; readonly gid: number };
  readonly name: string;
}

/** PostgreSQL runs only for users with a name, and never for root. These two are on every Unix. */
const NAMES = ['daemon', 'nobody'];

export function ordinaryUsers(): readonly User[] {
  if (process.getuid?.() !== 0) return [{ name: 'this user' }];
  return NAMES.map((name) => ({ name, ids: { uid: idOf('-u', name), gid: idOf('-g', name) } }));
}

function idOf(which: '-u' | '-g', name: string): number {
  return Number(spawnSync('id', [which, name], { encoding: 'utf8' }).stdout);
}
