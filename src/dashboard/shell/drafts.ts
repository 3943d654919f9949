/**
 * Text that was typed and not sent yet, kept in the browser until it is: it outlasts the tab, a crash and an empty battery. Each
 * account has its own, and all tabs of a browser share them. No other part of the page stores drafts.
 */

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

export interface Drafts {
  /** undefined without a draft. */
  read(name: string): string | undefined;
  /** Whether the browser keeps it: its storage may be full or switched off. */
  write(name: string, text: string): boolean;
  remove(name: string): void;
  /** Names of the drafts that begin so. */
  names(start: string): readonly string[];
}

/** The draft of a new problem. */
export const NEW_PROBLEM = '';

const PREFIX = 'backsolve-draft-';

/** Account names have no line breaks. Earlier releases kept the new problem under the account alone. */
function startOf(account: string): string {
  return `${PREFIX}${account}`;
}

function keyOf(account: string, name: string): string {
  return name === NEW_PROBLEM ? startOf(account) : `${startOf(account)}\n${name}`;
}

/** Number of times that the drafts of an account were deleted since the page was opened. */
const forgotten = new Map<string, number>();

/** Accepts no more drafts once they have been deleted: a view that closes after the sign-out must not write its draft back. */
export function draftsOf(account: string, store: Store | undefined = browserStore()): Drafts {
  const timesForgotten = forgotten.get(account);
  const attempt = <T>(work: (store: Store) => T): T | undefined => {
    try {
      return store && work(store);
    } catch {
      return undefined;
    }
  };
  return {
    read: (name) => attempt((its) => its.getItem(keyOf(account, name))) ?? undefined,
    write: (name, text) => {
      if (forgotten.get(account) !== timesForgotten) return false;
      return attempt((its) => its.setItem(keyOf(account, name), text) === undefined) ?? false;
    },
    remove: (name) => attempt((its) => its.removeItem(keyOf(account, name))),
    names: (start) => attempt((its) => namesIn(its, keyOf(account, start), start)) ?? [],
  };
}

function namesIn(store: Store, keyStart: string, start: string): readonly string[] {
  return keysOf(store).flatMap((key) => (key.startsWith(keyStart) ? [start + key.slice(keyStart.length)] : []));
}

function keysOf(store: Store): readonly string[] {
  return Array.from({ length: store.length }, (_, i) => store.key(i)!);
}

/** The drafts that were not sent, as items of a list. */
export function unsentDrafts(account: string, store: Store | undefined = browserStore()): readonly string[] {
  const drafts = draftsOf(account, store);
  const problem = drafts.read(NEW_PROBLEM) === undefined ? [] : ['the new problem'];
  const objectives = new Set(drafts.names('outputs/').map((name) => name.split('/')[1]!));
  return [...problem, ...Array.from(objectives, (id) => `outputs of objective ${id}`)];
}

/** Removes all drafts of an account from this browser, for its sign-out. */
export function forgetAll(account: string, store: Store | undefined = browserStore()): void {
  forgotten.set(account, (forgotten.get(account) ?? 0) + 1);
  try {
    if (store === undefined) return;
    const isOne = (key: string) => key === startOf(account) || key.startsWith(`${startOf(account)}\n`);
    for (const key of keysOf(store).filter(isOne)) store.removeItem(key);
  } catch {
    // Drafts in storage that is switched off cannot be read by others either.
  }
}

/** Calls back with the name of a draft of the account that another tab wrote or removed, until the returned function is called. */
export function watchDrafts(account: string, onChange: (name: string) => void): () => void {
  const start = keyOf(account, 'x').slice(0, -1);
  const hear = ({ key }: StorageEvent) => {
    if (key === startOf(account)) onChange(NEW_PROBLEM);
    else if (key?.startsWith(start)) onChange(key.slice(start.length));
  };
  addEventListener('storage', hear);
  return () => removeEventListener('storage', hear);
}

/** undefined if storage is switched off. */
function browserStore(): Store | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}
