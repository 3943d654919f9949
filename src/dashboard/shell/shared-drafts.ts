/**
 * Drafts that the service keeps besides the browser, so that they survive it and others see them. They are sent some moments after the
 * last change, and when the page is left; while the service does not answer, the browser's copy is enough.
 */
import { BacksolveError, type Draft as StoredDraft } from '../../../clients/typescript/src/index.ts';
import { type Drafts, draftsOf, NEW_PROBLEM } from './drafts.ts';
import { service } from './service.ts';
import { may, session } from './session.ts';

export type { StoredDraft };

const SEND_AFTER_MS = 700;
const RETRY_AFTER_MS = 15_000;
/** Longer drafts stay in the browser. */
const LARGEST = 65_536;
const WRITER_KEY = 'backsolve-writer';

/** Name of this browser among the writers of a draft. */
export const writer = ownName();

function ownName(): string {
  const fresh = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
  try {
    const known = localStorage.getItem(WRITER_KEY);
    if (known !== null && /^[\w-]{1,50}$/.test(known)) return known;
    localStorage.setItem(WRITER_KEY, fresh);
  } catch {
    // Storage is switched off: a name for as long as the page is open.
  }
  return fresh;
}

interface Unsent {
  readonly account: string;
  readonly text: string | null;
}

/** By subject. */
const unsent = new Map<string, Unsent>();
/** Subjects that the service knows from here. */
const shared = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;
let isSending = false;

function subjectOf(name: string): string {
  return name === NEW_PROBLEM ? 'new-problem' : name;
}

/** As draftsOf, with a copy of each draft on the service. */
export function sharedDraftsOf(account: string): Drafts {
  const own = draftsOf(account);
  return {
    ...own,
    // The page may have been left before its last change was sent.
    read: (name) => {
      const text = own.read(name);
      if (text !== undefined && !shared.has(subjectOf(name))) share(account, subjectOf(name), text);
      return text;
    },
    write: (name, text) => {
      share(account, subjectOf(name), text);
      return own.write(name, text);
    },
    remove: (name) => {
      const subject = subjectOf(name);
      if (own.read(name) !== undefined || shared.has(subject)) share(account, subject, null);
      own.remove(name);
    },
  };
}

function share(account: string, subject: string, text: string | null): void {
  if (!may('write')) return;
  shared.add(subject);
  unsent.set(subject, { account, text: text !== null && text.length > LARGEST ? null : text });
  sendIn(SEND_AFTER_MS);
}

function sendIn(ms: number): void {
  clearTimeout(timer);
  timer = setTimeout(() => void send(), ms);
}

/** Sends what is there, one after another. */
async function send(): Promise<void> {
  clearTimeout(timer);
  if (isSending) return;
  isSending = true;
  try {
    for (const [subject, { account, text }] of unsent) {
      if (session.value?.account === account) await put(subject, text);
      // Text typed in the meantime is sent next.
      if (unsent.get(subject)?.text === text) unsent.delete(subject);
    }
    if (unsent.size > 0) sendIn(SEND_AFTER_MS);
  } catch {
    sendIn(RETRY_AFTER_MS);
  } finally {
    isSending = false;
  }
}

/** Rejects if the service does not answer. What it refuses stays in the browser. */
async function put(subject: string, text: string | null, by = writer): Promise<void> {
  try {
    await service.call('putDraft', { body: { subject, writer: by, text } });
  } catch (error) {
    if (!(error instanceof BacksolveError) || error.status >= 500 || error.status === 429) throw error;
  }
}

addEventListener('online', () => void send());
document.addEventListener('visibilitychange', () => document.hidden && void send());

/** All drafts of a subject, newest first. */
export async function readShared(name: string, signal: AbortSignal): Promise<readonly StoredDraft[]> {
  const { body } = await service.call('listDrafts', { query: { subject: subjectOf(name) }, signal });
  return body.drafts;
}

/** Keeps a draft that another one is about to replace, where it will be offered again. Rejects if the service does not answer. */
export async function setAside(name: string, text: string): Promise<void> {
  await put(subjectOf(name), text.length > LARGEST ? null : text, `${writer}-earlier`);
}

export async function removeShared({ subject, writer: by }: StoredDraft): Promise<void> {
  await put(subject, null, by);
}
