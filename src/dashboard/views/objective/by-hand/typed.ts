/** Outputs that were typed and that the service does not have yet, by the id of their inverse. Needs no browser. */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Drafts } from '../../../shell/drafts.ts';

export type Typed = ReadonlyMap<number, readonly string[]>;

export interface TypedOutputs {
  readonly all: ReadonlySignal<Typed>;
  /** One text per output; empty ones where nothing was typed. */
  of(inverseId: number): readonly string[];
  set(inverseId: number, texts: readonly string[]): void;
  remove(inverseId: number): void;
  /** Takes over what another tab has written or removed under this name. */
  readAgain(name: string): void;
}

/** Opens the outputs typed for one objective. Texts that the browser cannot keep stay until the page is closed. */
export function openTyped(drafts: Drafts, objectiveId: number, outputCount: number): TypedOutputs {
  const start = `outputs/${objectiveId}/`;
  const idIn = (name: string) => Number(name.slice(start.length));
  const readOne = (name: string) => parseTexts(drafts.read(name), outputCount);
  const stored = drafts.names(start).flatMap((name) => {
    const texts = readOne(name);
    return texts === undefined ? [] : [[idIn(name), texts] as const];
  });
  const all = signal<Typed>(new Map(stored));
  const show = (inverseId: number, texts: readonly string[] | undefined) => {
    const next = new Map(all.value);
    if (texts === undefined) next.delete(inverseId);
    else next.set(inverseId, texts);
    all.value = next;
  };
  const remove = (inverseId: number) => {
    drafts.remove(start + inverseId);
    show(inverseId, undefined);
  };
  return {
    all,
    of: (inverseId) => all.value.get(inverseId) ?? new Array<string>(outputCount).fill(''),
    set: (inverseId, texts) => {
      if (texts.every((text) => text === '')) return remove(inverseId);
      drafts.write(start + inverseId, JSON.stringify(texts));
      show(inverseId, texts);
    },
    remove,
    readAgain: (name) => {
      if (name.startsWith(start)) show(idIn(name), readOne(name));
    },
  };
}

/** undefined where there is none, or one of other outputs. */
export function parseTexts(stored: string | undefined, count: number): readonly string[] | undefined {
  try {
    const texts: unknown = JSON.parse(stored ?? 'null');
    const isOne = Array.isArray(texts) && texts.length === count && texts.every((text) => typeof text === 'string');
    return isOne ? texts : undefined;
  } catch {
    return undefined;
  }
}
