/** Engines that fail on purpose, and an honest one: the real optimizer in this thread. */

import { Piscina } from 'piscina';
import type { Engine } from '../../src/engine/pool.ts';
import type { SuggestAnswer } from '../../src/engine/protocol.ts';
import type { SuggestRequest } from '../../src/optimizer/interface/problem.ts';
import { suggest } from '../../src/optimizer/suggest.ts';
import { explainNothing } from '../support/explain-nothing.ts';

export type Suggest = Engine['suggest'];

export const honest: Suggest = async (request) => ({ ok: true, result: suggest(request), elapsedNs: 1_000 });

export function makeEngine(suggestWith: Suggest): Engine {
  return {
    ...explainNothing,
    design: () => Promise.reject(new Error('these tests bring their own cases')),
    designApart: () => Promise.reject(new Error('these tests bring their own cases')),
    solutions: () => Promise.reject(new Error('these tests ask for no solutions')),
    front: () => Promise.reject(new Error('these tests ask for no front')),
    explain: () => Promise.reject(new Error('these tests ask for no explanation')),
    suggest: suggestWith,
    close: async () => undefined,
  };
}

/** Always proposes this input. */
export function proposing(...input: readonly number[]): Suggest {
  return async () => ({
    ok: true,
    result: { kind: 'candidate', input: Float64Array.from(input), expected: null, chance: null },
    elapsedNs: 1_000,
  });
}

/** A separate thread that dies during its computation. */
export function makeDyingThread(): { readonly suggest: Suggest; close(): Promise<void> } {
  const filename = new URL('./dying-thread.ts', import.meta.url).href;
  const pool = new Piscina({ filename, minThreads: 0, maxThreads: 1 });
  pool.on('error', () => undefined);
  return {
    suggest: (request, signal) => pool.run(request, { signal }) as Promise<SuggestAnswer>,
    close: () => pool.destroy(),
  };
}

/** A computation that lasts until the test opens the gate. */
export class Gate {
  readonly #opened = Promise.withResolvers<void>();
  readonly #entered = Promise.withResolvers<AbortSignal>();
  readonly #suggest: Suggest;
  calls = 0;

  constructor(suggestWith: Suggest) {
    this.#suggest = suggestWith;
  }

  /** Resolves with the signal of the first computation when it starts. */
  get entered(): Promise<AbortSignal> {
    return this.#entered.promise;
  }

  open(): void {
    this.#opened.resolve();
  }

  readonly suggest = async (request: SuggestRequest, signal: AbortSignal): Promise<SuggestAnswer> => {
    this.calls += 1;
    this.#entered.resolve(signal);
    await this.#opened.promise;
    return this.#suggest(request, signal);
  };

  /** Like `suggest`, but aborts when the signal fires, as the real engine does. */
  readonly suggestUntilAborted = (request: SuggestRequest, signal: AbortSignal): Promise<SuggestAnswer> =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      this.suggest(request, signal).then(resolve, reject);
    });
}
