/** The draft of the account that is signed in, kept in the browser. */
import { signal } from '@preact/signals';
import { type Drafts, NEW_PROBLEM } from '../../shell/drafts.ts';
import { service } from '../../shell/service.ts';
import { session } from '../../shell/session.ts';
import { sharedDraftsOf } from '../../shell/shared-drafts.ts';
import { type Draft, emptyDraft, exampleDraft, isUntouched, parseDraft } from './draft.ts';
import type { Faults } from './requests.ts';
import type { Workplace } from './start.ts';

/** The delay after the last change, unless the page is left earlier. */
const KEEP_AFTER_MS = 300;

export const draft = signal<Draft>(emptyDraft(newId()));
export const faults = signal<Faults>({});
/** Whether the draft outlasts a reload: storage may be full or switched off. */
export const isKept = signal(true);

let timer: ReturnType<typeof setTimeout> | undefined;
/** The drafts of the account that opened this one, which may have signed out since. */
let drafts: Drafts | undefined;

/** Needs no secure context, unlike crypto.randomUUID. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Takes up the draft of the account; returns what lets go of it. */
export function openDraft(): () => void {
  drafts = sharedDraftsOf(session.value?.account ?? '');
  isKept.value = true;
  draft.value = parseDraft(drafts.read(NEW_PROBLEM)) ?? emptyDraft(newId());
  faults.value = {};
  addEventListener('pagehide', keepChange);
  return () => {
    removeEventListener('pagehide', keepChange);
    keepChange();
  };
}

/** Stores the last change if it is not stored yet. */
function keepChange(): void {
  if (timer !== undefined) keep();
}

function keep(): void {
  clearTimeout(timer);
  timer = undefined;
  // Nothing was typed: nothing is lost.
  if (isUntouched(draft.value)) drafts?.remove(NEW_PROBLEM);
  else isKept.value = drafts?.write(NEW_PROBLEM, JSON.stringify(draft.value)) ?? false;
}

/** @param fields  whose faults are gone with the change; a field stands for those below it, too */
export function change(changed: Partial<Draft>, ...fields: readonly string[]): void {
  draft.value = { ...draft.value, ...changed };
  clearFaults(...fields);
  clearTimeout(timer);
  timer = setTimeout(keep, KEEP_AFTER_MS);
}

function clearFaults(...fields: readonly string[]): void {
  const isCleared = (path: string) => fields.some((field) => path === field || path.startsWith(`${field}/`));
  const entries = Object.entries(faults.value);
  const left = entries.filter(([path]) => path !== '' && !isCleared(path));
  if (left.length < entries.length) faults.value = Object.fromEntries(left);
}

export const workplace: Workplace = {
  service,
  draft: () => draft.value,
  note: (changed) => {
    draft.value = { ...draft.value, ...changed };
    keep();
  },
};

/** Starts over with this draft. */
export function takeDraft(taken: Draft): void {
  draft.value = taken;
  faults.value = {};
  keep();
}

/** Starts over with an empty draft or the example. */
export function replaceDraft(kind: 'empty' | 'example'): void {
  takeDraft(kind === 'empty' ? emptyDraft(newId()) : exampleDraft(newId()));
}
