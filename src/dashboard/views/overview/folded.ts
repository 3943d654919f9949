/** Projects whose objectives are folded away in the list, as this browser remembers them for each account. */
import { signal } from '@preact/signals';

/** As many as the service takes; beyond that the one folded first opens again. */
const MOST = 200;

export const folded = signal<readonly number[]>([]);

const keyOf = (account: string) => `backsolve-folded-${account}`;

export function openFolded(account: string): void {
  folded.value = readFolded(account);
}

function readFolded(account: string): readonly number[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(account)) ?? '[]');
    return Array.isArray(stored) ? stored.filter((id) => Number.isSafeInteger(id) && id > 0).slice(-MOST) : [];
  } catch {
    return [];
  }
}

export function fold(account: string, projectId: number, isFolded: boolean): void {
  const others = folded.value.filter((id) => id !== projectId);
  folded.value = isFolded ? [...others, projectId].slice(-MOST) : others;
  try {
    localStorage.setItem(keyOf(account), JSON.stringify(folded.value));
  } catch {
    // Without storage it is remembered until the page is left.
  }
}
