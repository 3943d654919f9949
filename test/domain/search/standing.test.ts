import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { InverseStatus } from '../../../src/domain/search/inverse.ts';
import type { LedgerRun } from '../../../src/domain/search/ledger-run.ts';
import type { WeighedDefinition } from '../../../src/domain/search/nearest.ts';
import { questOf } from '../../../src/domain/search/quest.ts';
import { searchOptionsOf } from '../../../src/domain/search/search-options.ts';
import { after, type Change, nothingReached, type Standing, type Terms } from '../../../src/domain/search/standing.ts';
import { standingOf } from '../../../src/domain/search/standing-of.ts';
import { isFinal, StopReason } from '../../../src/domain/search/stop-reason.ts';

const TARGET: WeighedDefinition = {
  options: null,
  objectives: [0, 4],
  objectiveTypes: ['minimize', 'lessthan_equal'],
  minimumBounds: [],
  maximumBounds: [],
  desiredL1Norm: 0,
  convergence: 1e-6,
};
const OPEN = {
  ...TARGET,
  objectives: [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
  objectiveTypes: ['minimize', 'minimize'],
} as const;
const DATA = { ...TARGET, objectives: [3, 4], objectiveTypes: ['fit', 'lessthan_equal'] } as const;
const TOLERANCES = { kind: 'uniform', values: [0.1] } as const;

/** One of each kind. */
const QUESTS = {
  'one-run': { definition: TARGET, options: null },
  'mean-of-runs': { definition: TARGET, options: searchOptionsOf({ confirm: 2 }) },
  confidence: { definition: TARGET, options: searchOptionsOf({ confidence: 0.9 }) },
  several: { definition: TARGET, options: searchOptionsOf({ solutions: { count: 2, apart: 0.3 } }) },
  surest: { definition: TARGET, options: searchOptionsOf({ aimAtRobustness: true, inputTolerances: TOLERANCES }) },
  front: { definition: OPEN, options: null },
  fit: { definition: DATA, options: searchOptionsOf({ fits: [{ sigma: 0.5 }], objectiveTypes: DATA.objectiveTypes }) },
} as const;
type Kind = keyof typeof QUESTS;

function termsOf(kind: Kind): Terms {
  const { definition, options } = QUESTS[kind];
  const variables = [{ kind: 'float', minimum: 0, maximum: 10 } as const];
  return { quest: questOf({ ...definition, options }), definition: { ...definition, options }, variables };
}

/** A search whose ledger is kept as the service does: rows with what happened to them, in order of iteration. */
class Search {
  readonly terms: Terms;
  standing: Standing;
  readonly rows: LedgerRun[] = [];
  #completed = 0;

  constructor(terms: Terms, maximumAttempts: number, isStartAdmissible = false) {
    this.terms = terms;
    this.standing = nothingReached(maximumAttempts);
    const first = this.#open();
    this.#set(first, { input: [5], isAdmissible: isStartAdmissible });
    this.load(first, [3, 9], { isNumbered: false });
  }

  #open(): number {
    const id = this.rows.length + 1;
    const empty = { input: null, output: null, isFailed: false, isExcluded: false, isAdmissible: false };
    const state = { isRepeat: false, isExhausting: false, completedOrder: null };
    this.rows.push({ id, iteration: id, status: 'active', ...empty, ...state });
    return id;
  }

  #set(id: number, row: Partial<LedgerRun>): void {
    this.rows[id - 1] = { ...this.rows[id - 1]!, ...row };
  }

  row(id: number): LedgerRun {
    return this.rows[id - 1]!;
  }

  /** Applies a change to the standing and to its row; false when nothing can happen any more. */
  #take(change: Change, id: number | null, row: Partial<LedgerRun>, isNumbered = true): boolean {
    const outcome = after(this.terms, this.standing, change);
    if (outcome === undefined) return false;
    this.standing = outcome.standing;
    const order = () => ({ completedOrder: (this.#completed += 1) });
    const status = outcome.status === undefined ? {} : { status: outcome.status };
    if (id !== null) {
      const isExhausting = outcome.isExhausting || this.row(id).isExhausting;
      this.#set(id, { ...row, ...status, isExhausting, ...(isNumbered && order()) });
    }
    for (const other of outcome.givenUp) this.#set(other, { status: 'stopped', ...order() });
    return true;
  }

  request(): void {
    if (isFinal(this.standing.stopReason) || this.standing.open.some((id) => this.row(id).input === null)) return;
    const { attemptCount, maximumAttempts } = this.standing;
    if (attemptCount >= maximumAttempts && this.terms.quest.endsWithRuns) return;
    const id = this.#open();
    this.#take({ kind: 'opened', id }, id, {}, false);
  }

  compute(input: number): void {
    const id = this.standing.open.find((one) => this.row(one).input === null);
    if (id !== undefined) this.#take({ kind: 'suggested', id }, id, { input: [input], isAdmissible: true }, false);
  }

  failToCompute(): void {
    const id = this.standing.open.find((one) => this.row(one).input === null);
    if (id !== undefined) this.#take({ kind: 'not-computed', id }, id, {}, false);
  }

  endWithNothingNew(): void {
    const [id] = this.standing.open;
    const best = this.standing.optimal ?? { id: 1, output: this.row(1).output! };
    if (this.standing.open.length !== 1 || this.row(id!).input !== null) return;
    const row = { input: this.row(best.id).input, output: best.output, isRepeat: true, isAdmissible: true };
    this.#take({ kind: 'repeated', id: id!, event: 'nothing-new', output: best.output }, id!, row, false);
  }

  /** Loads the output of an inverse that waits for it, or was given up without one. */
  load(id: number, output: readonly number[], { isNumbered = true } = {}): void {
    const { iteration, input, isAdmissible } = this.row(id);
    const isLate = this.row(id).status === 'stopped';
    const run = { id, iteration, input: input!, output };
    this.#take({ kind: 'output', run, isAdmissible, isLate }, id, { output }, isNumbered);
  }

  fail(id: number): void {
    this.#take({ kind: 'failed', id }, id, { isFailed: true });
  }

  giveUp(id: number): void {
    this.#take({ kind: 'given-up', id }, id, {});
  }

  stop(): void {
    this.#take({ kind: 'stopped' }, null, {});
  }

  /** Those that may get an output: `late` ones were given up. */
  waiting(late: boolean): number[] {
    return this.rows
      .filter(
        ({ status, input, output, isFailed }) =>
          status === (late ? 'stopped' : 'active') && input !== null && output === null && !isFailed,
      )
      .map(({ id }) => id);
  }
}

type Act = readonly [kind: string, which: number, value: number, other: number];

function play(search: Search, [kind, which, value, other]: Act): void {
  const pick = (ids: readonly number[]) => ids[which % Math.max(1, ids.length)];
  const onOne = (ids: readonly number[], act: (id: number) => void) => {
    const id = pick(ids);
    if (id !== undefined) act(id);
  };
  const load = (id: number) => search.load(id, [other - 3, value]);
  const acts: Record<string, () => void> = {
    request: () => search.request(),
    compute: () => search.compute(value),
    'fail to compute': () => search.failToCompute(),
    'nothing new': () => search.endWithNothingNew(),
    load: () => onOne(search.waiting(false), load),
    late: () => onOne(search.waiting(true), load),
    fail: () => onOne(search.waiting(false), (id) => search.fail(id)),
    'give up': () => onOne(search.standing.open, (id) => search.giveUp(id)),
    stop: () => search.stop(),
  };
  acts[kind]!();
}

const kinds = [
  'request',
  'request',
  'compute',
  'compute',
  'compute',
  'load',
  'load',
  'load',
  'fail',
  'give up',
  'late',
  'fail to compute',
  'nothing new',
];
const acts = fc.array(
  fc.tuple(
    fc.oneof({ weight: 40, arbitrary: fc.constantFrom(...kinds) }, { weight: 1, arbitrary: fc.constant('stop') }),
    fc.nat(7),
    fc.integer({ min: 0, max: 10 }),
    fc.integer({ min: 0, max: 20 }),
  ),
  { maxLength: 60, size: 'max' },
);

/** The optimum of an ended search whose runs came late after all others is not told from one of a search that ran on. */
function expectSame(search: Search): void {
  const { standing, rows, terms } = search;
  const verdict = { ...standing, optimalInverseId: standing.optimal?.id ?? null };
  const formed = standingOf(terms, verdict, rows)!;
  expect([...formed.statuses]).toEqual([]);
  const shown = ({ stopReason, open, nearest, hits }: Standing) => ({
    stopReason,
    open: [...open].sort(),
    nearest,
    hits,
  });
  const hasLate = rows.some(({ status, output, isRepeat }) => status === 'stopped' && output !== null && !isRepeat);
  if (!hasLate) expect(formed.standing.optimal?.id).toEqual(standing.optimal?.id);
  if (!hasLate) expect(shown(formed.standing)).toEqual(shown(standing));
}

describe('what a search has reached', () => {
  test.each(Object.keys(QUESTS) as Kind[])('For %s it is the same change by change and from all runs', (kind) => {
    const ends = new Set<StopReason>();
    fc.assert(
      fc.property(acts, fc.integer({ min: 1, max: 6 }), fc.boolean(), (list, maximumAttempts, isStartAdmissible) => {
        const search = new Search(termsOf(kind), maximumAttempts, isStartAdmissible);
        for (const act of list) {
          play(search, act);
          expectSame(search);
        }
        ends.add(search.standing.stopReason);
      }),
      { numRuns: 60 },
    );
    expect(ends.size).toBeGreaterThan(1);
  });

  it('Each kind of quest says when it ends', () => {
    const kindsFound = Object.keys(QUESTS).map((kind) => termsOf(kind as Kind).quest);
    expect(kindsFound.map(({ kind }) => kind)).toEqual(Object.keys(QUESTS));
    expect(kindsFound.map(({ endsWithRuns }) => endsWithRuns)).toEqual([true, false, false, true, true, true, false]);
    expect(kindsFound.map(({ sought }) => sought)).toEqual([1, 1, 1, 2, 1, 1, 1]);
    expect(questOf({ ...TARGET, options: searchOptionsOf({ noise: 'estimate' }) }).kind).toBe('one-run');
  });

  test.each(Object.keys(QUESTS) as Kind[])(
    'For %s an initial point that breaks a limit is never the nearest run, and one that breaks none may be',
    (kind) => {
      const nearestOf = (isStartAdmissible: boolean) => {
        const search = new Search(termsOf(kind), 5, isStartAdmissible);
        const first = search.standing.nearest;
        search.request();
        search.compute(1);
        search.load(2, [20, 20]);
        expectSame(search);
        return [first?.iteration, search.standing.nearest?.iteration];
      };
      expect(nearestOf(false)).toEqual([undefined, 2]);
      expect(nearestOf(true)).toEqual([1, 1]);
    },
  );

  it('A late output that alone satisfies everything keeps a corrected objective satisfied', () => {
    const search = new Search(termsOf('one-run'), 5);
    for (const input of [1, 2]) {
      search.request();
      search.compute(input);
    }
    const [a, b] = search.waiting(false) as [number, number];
    search.load(a, [-1, 1]);
    search.load(b, [-1, 2]);
    expect(search.rows.map(({ status }): InverseStatus => status)).toEqual(['active', 'converged', 'stopped']);
    const corrected = search.rows.map((row) => (row.id === a ? { ...row, output: [9, 9] } : row));
    const verdict = { ...search.standing, optimalInverseId: a };
    const formed = standingOf(search.terms, verdict, corrected)!;
    expect([formed.standing.stopReason, formed.standing.optimal?.id]).toEqual([StopReason.satisfied, b]);
  });
});
