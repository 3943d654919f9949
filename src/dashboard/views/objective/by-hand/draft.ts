/**
 * What was typed for an input whose output is not loaded yet. It stays in the session storage of the tab, so that a reload loses
 * nothing. Needs no browser.
 */

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const nameOf = (inverseId: number): string => `backsolve-outputs-${inverseId}`;

/** One text per output; empty ones where nothing was typed. */
export function readDraft(store: Store | undefined, inverseId: number, outputCount: number): readonly string[] {
  const empty = new Array<string>(outputCount).fill('');
  try {
    const stored: unknown = JSON.parse(store?.getItem(nameOf(inverseId)) ?? 'null');
    const isOne = Array.isArray(stored) && stored.length === outputCount;
    return isOne && stored.every((text) => typeof text === 'string') ? stored : empty;
  } catch {
    return empty;
  }
}

/** Storage that is full or switched off costs the draft, not what is typed. */
export function writeDraft(store: Store | undefined, inverseId: number, texts: readonly string[]): void {
  try {
    if (texts.every((text) => text === '')) store?.removeItem(nameOf(inverseId));
    else store?.setItem(nameOf(inverseId), JSON.stringify(texts));
  } catch {
    // What is typed is still in the form.
  }
}

/** undefined where it is switched off. */
export function sessionStore(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}
