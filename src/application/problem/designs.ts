/**
 * Designs of input cases, which clients wait for. Constraints can make one of them take minutes, so every design is first tried
 * with little work in the threads that serve all, then with the whole work limit in a thread of its own kind. Both give the same
 * design. In each of the two an account computes one at a time.
 */
import type { Engine } from '../../engine/pool.ts';
import type { Design, DesignRequest } from '../../optimizer/interface/problem.ts';
import { Computations } from '../computations.ts';

/** The engine as seen by one account. */
export interface DesignEngine {
  /** Throws OVERLOADED past the limits of the process, and an Error for a fault. */
  design(request: DesignRequest): Promise<Design>;
}

export interface DesignsOptions {
  readonly engine: Pick<Engine, 'design' | 'designApart'>;
  /** Threads of the engine. */
  readonly threads: number;
  /** Work that a design may take, as a suggestion may. */
  readonly workLimit: number;
}

/** About 0.1 s; the designs of most constraints take less. */
const LIGHT_WORK = 200;
/** Designs that wait in a process, of all accounts and of one; each holds its constraints. */
const LIGHT_WAITING = { waiting: 256, waitingPerAccount: 64 };
const HEAVY_WAITING = { waiting: 24, waitingPerAccount: 8 };
/** A repeated design would be kept for nothing: the project that it was for is stored. */
const NONE_KEPT = { kept: 0 };

/** One per process. */
export class Designs {
  readonly #engine: DesignsOptions['engine'];
  readonly #workLimit: number;
  readonly #light: Computations;
  readonly #heavy = new Computations({ running: 1, ...HEAVY_WAITING, ...NONE_KEPT });
  #count = 0;

  constructor({ engine, threads, workLimit }: DesignsOptions) {
    this.#engine = engine;
    this.#workLimit = workLimit;
    this.#light = new Computations({ running: threads, ...LIGHT_WAITING, ...NONE_KEPT });
  }

  /** @param signal fires when nobody waits for the design any more, which then rejects with its reason */
  for(accountId: number, signal: AbortSignal): DesignEngine {
    return { design: (request) => this.#design(accountId, request, signal) };
  }

  async #design(accountId: number, request: DesignRequest, signal: AbortSignal): Promise<Design> {
    const question = { accountId, key: String(this.#count++) };
    const light = { ...request, workLimit: Math.min(LIGHT_WORK, this.#workLimit) };
    // It ends soon: to stop it would cost the others a thread.
    const design = await this.#light.get(question, signal, () => this.#engine.design(light, NEVER));
    if (design.region?.kind !== 'out-of-work') return design;
    const whole = { ...request, workLimit: this.#workLimit };
    return this.#heavy.get(question, signal, (gone) => this.#engine.designApart(whole, gone));
  }
}

/** For work that is done whether or not a client waits. */
export const NEVER = new AbortController().signal;
