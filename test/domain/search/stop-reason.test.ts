import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { awaitsOutput, type InverseStatus, isBeingComputed } from '../../../src/domain/search/inverse.ts';
import type { Quest } from '../../../src/domain/search/quest.ts';
import { confidence } from '../../../src/domain/search/quests/confidence.ts';
import { ONE_RUN } from '../../../src/domain/search/quests/one-run.ts';
import { several } from '../../../src/domain/search/quests/several.ts';
import { SUREST } from '../../../src/domain/search/quests/surest.ts';
import { after, type Change, nothingReached, type Standing } from '../../../src/domain/search/standing.ts';
import { type RevisedRun, reviseStates } from '../../../src/domain/search/standing-of.ts';
import {
  isFinal,
  nextState,
  type ObjectiveEvent,
  StopReason as Reason,
  type StopReason,
  TRANSITIONS,
} from '../../../src/domain/search/stop-reason.ts';

/** One output, which meets the target of 0 within 1. */
const DEFINITION = {
  objectives: [0],
  objectiveTypes: ['value'],
  minimumBounds: [-1],
  maximumBounds: [1],
  desiredL1Norm: 0,
  convergence: 1e-6,
  options: null,
} as const;
const COMPLETED = { completedOrder: null, isExhausting: false };
const MANY = several({ count: 1_000, apart: 0 });

interface Inverse {
  status: InverseStatus;
  input: number[] | null;
  output: number[] | null;
}

/** An objective driven by `after` like requests and workers do: a change comes in, and both states are stored. */
class Run {
  standing: Standing;
  readonly maximumAttempts: number;
  /** Whether an output satisfies everything and the search goes on. */
  isHeld = false;
  readonly inverses: Inverse[] = [];
  /** Kinds of changes with the states that they led to. */
  readonly edges: string[] = [];

  constructor(maximumAttempts: number) {
    this.maximumAttempts = maximumAttempts;
    this.standing = nothingReached(maximumAttempts);
  }

  get stopReason(): StopReason {
    return this.standing.stopReason;
  }

  get attemptCount(): number {
    return this.standing.attemptCount;
  }

  get open(): Inverse | undefined {
    return this.inverses.findLast((inverse) => isBeingComputed(inverse) || awaitsOutput(inverse));
  }

  /** Applies a change of the open inverse; false if the objective has ended. */
  apply(kind: Exclude<Change['kind'], 'output' | 'repeated'>, quest: Quest = ONE_RUN): boolean {
    const change = kind === 'stopped' ? { kind } : { kind, id: this.inverses.length - 1 };
    return this.#take(change, quest, kind);
  }

  load(isMet: boolean, quest: Quest): void {
    const id = this.inverses.length - 1;
    const run = { id, iteration: id, input: [], output: [isMet ? 0 : 5] };
    const isHeld = this.isHeld;
    this.#take(
      { kind: 'output', run, isAdmissible: true, isLate: false },
      quest,
      isMet ? `hit of ${quest.kind}` : 'miss',
    );
    this.isHeld = isHeld || (isMet && quest === SUREST && !isFinal(this.stopReason));
  }

  endWithNothingNew(): void {
    const id = this.inverses.length - 1;
    this.#take({ kind: 'repeated', id, event: 'nothing-new', output: [5] }, ONE_RUN, 'nothing-new');
  }

  #take(change: Change, quest: Quest, name: string): boolean {
    const isHeld = this.isHeld;
    const terms = { quest: { ...quest, isAchieved: () => isHeld } as Quest, definition: DEFINITION, variables: [] };
    const id = idOf(change);
    const inverse = (id === undefined ? undefined : this.inverses[id]) ?? this.open;
    const outcome = after(terms, this.standing, change);
    if (outcome === undefined) return false;
    this.standing = outcome.standing;
    const isStopped = inverse !== undefined && outcome.givenUp.includes(this.inverses.indexOf(inverse));
    const status = isStopped ? 'stopped' : outcome.status;
    if (inverse !== undefined && status !== undefined) inverse.status = status;
    this.edges.push(`${name}: ${this.stopReason}`);
    return true;
  }

  /** Opens the next inverse, without input yet; false if one is open or the objective has ended. */
  request(): boolean {
    if (this.open !== undefined || isFinal(this.stopReason)) return false;
    this.inverses.push({ status: 'active', input: null, output: null });
    return this.apply('opened');
  }

  handOut(inverse: Inverse): void {
    inverse.input = [0];
    this.apply('suggested');
  }
}

function idOf(change: Change): number | undefined {
  if (change.kind === 'output') return change.run.id;
  return 'id' in change ? change.id : undefined;
}

type Situation = 'idle' | 'computing' | 'awaited';

/** The table of docs/states.md, written down independently. */
interface Model {
  reason: 'running' | 'satisfied' | 'stopped' | 'exhausted';
  situation: Situation;
  attempts: number;
  isHeld?: boolean;
}

/** Meaning of an end without success once an output has satisfied everything. */
function endOf(model: Model, reason: 'stopped' | 'exhausted'): Model['reason'] {
  return model.isHeld ? 'satisfied' : reason;
}

type Command = fc.Command<Model, Run>;

function situationOf(open: Inverse | undefined): Situation {
  if (open === undefined) return 'idle';
  return isBeingComputed(open) ? 'computing' : 'awaited';
}

/** Compares everything visible after each command. */
function expectSame(model: Readonly<Model>, run: Run): void {
  const { stopReason, attemptCount, maximumAttempts, open } = run;
  const situation = situationOf(open);
  expect([stopReason, isFinal(stopReason), attemptCount, situation]).toEqual([
    Reason[model.reason],
    model.reason !== 'running',
    model.attempts,
    model.situation,
  ]);
  const mayGoOn = model.reason === 'running' && situation === 'idle';
  expect(attemptCount).toBeLessThanOrEqual(mayGoOn ? maximumAttempts - 1 : maximumAttempts);
}

function command(name: string, allowed: Situation | 'any', change: (model: Model, run: Run) => void): Command {
  return {
    check: (model) => allowed === 'any' || (model.reason === 'running' && model.situation === allowed),
    run: (model, run) => {
      const before = {
        reason: model.reason,
        inverses: run.inverses.length,
        statuses: run.inverses.map((inverse) => inverse.status),
      };
      const edges = run.edges.length;
      change(model, run);
      expectSame(model, run);
      if (before.reason !== 'running') {
        expect(run.edges).toHaveLength(edges);
        expect(run.inverses.map((inverse) => inverse.status)).toEqual(before.statuses);
      }
    },
    toString: () => name,
  };
}

const suggest: fc.Arbitrary<Command> = fc.constant(
  command('suggest', 'any', (model, run) => {
    const expected = model.reason === 'running' && model.situation === 'idle';
    expect(run.request()).toBe(expected);
    if (expected) model.situation = 'computing';
  }),
);

const compute: fc.Arbitrary<Command> = fc.constant(
  command('compute', 'computing', (model, run) => {
    const inverse = run.open!;
    run.handOut(inverse);
    expect(inverse.status).toBe('active');
    model.situation = 'awaited';
    model.attempts++;
  }),
);

const failToCompute: fc.Arbitrary<Command> = fc.constant(
  command('computation fails', 'computing', (model, run) => {
    const inverse = run.open!;
    run.apply('not-computed');
    expect(inverse.status).toBe('failed');
    model.situation = 'idle';
  }),
);

const findNothingNew: fc.Arbitrary<Command> = fc.constant(
  command('nothing new', 'computing', (model, run) => {
    const inverse = run.open!;
    run.endWithNothingNew();
    expect(inverse.status).toBe('stopped');
    model.situation = 'idle';
    model.reason = endOf(model, 'stopped');
  }),
);

const QUESTS = { solution: ONE_RUN, further: MANY, first: SUREST, miss: ONE_RUN };
const VERDICTS = Object.keys(QUESTS) as (keyof typeof QUESTS)[];
const loadOutput: fc.Arbitrary<Command> = fc.constantFrom(...VERDICTS).map((verdict) =>
  command(`load a ${verdict}`, 'awaited', (model, run) => {
    const inverse = run.open!;
    inverse.output = [0];
    run.load(verdict !== 'miss', QUESTS[verdict]);
    const isLast = model.attempts >= run.maximumAttempts;
    const missed = isLast ? 'max_iterations' : 'active';
    expect(inverse.status).toBe(verdict === 'miss' ? missed : 'converged');
    model.situation = 'idle';
    if (verdict === 'first' && !isLast) model.isHeld = true;
    else if (verdict === 'solution' || verdict === 'first') model.reason = 'satisfied';
    else if (isLast) model.reason = endOf(model, 'exhausted');
  }),
);

const reportFailure: fc.Arbitrary<Command> = fc.constant(
  command('report a failed run', 'awaited', (model, run) => {
    const inverse = run.open!;
    run.apply('failed');
    expect(inverse.status).toBe('failed');
    model.situation = 'idle';
    if (model.attempts >= run.maximumAttempts) model.reason = endOf(model, 'exhausted');
  }),
);

const giveUp: fc.Arbitrary<Command> = fc.constant(
  command('give the open inverse up', 'awaited', (model, run) => {
    const inverse = run.open!;
    run.apply('given-up');
    expect(inverse.status).toBe('stopped');
    model.situation = 'idle';
    if (model.attempts >= run.maximumAttempts) model.reason = endOf(model, 'exhausted');
  }),
);

const stopByHand: fc.Arbitrary<Command> = fc.constant(
  command('stop by hand', 'any', (model, run) => {
    const inverse = run.open;
    const isTaken = run.apply('stopped');
    expect(isTaken).toBe(model.reason === 'running');
    if (!isTaken) return;
    if (inverse !== undefined) expect(inverse.status).toBe('stopped');
    model.reason = endOf(model, 'stopped');
    model.situation = 'idle';
  }),
);

/** Each command is listed as often as it should be drawn: if ends were as frequent as the rest, few runs would use up their attempts. */
const commands: fc.Arbitrary<Command>[] = [
  ...Array<typeof suggest>(6).fill(suggest),
  ...Array<typeof compute>(6).fill(compute),
  ...Array<typeof loadOutput>(4).fill(loadOutput),
  ...Array<typeof reportFailure>(2).fill(reportFailure),
  failToCompute,
  findNothingNew,
  giveUp,
  giveUp,
  stopByHand,
];

describe('an objective under any sequence of commands', () => {
  it('An objective agrees with the model, keeps final states and its attempts, and reaches every edge', () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(
        fc.commands(commands, { maxCommands: 60, size: 'max' }),
        fc.integer({ min: 1, max: 5 }),
        (sequence, maximum) => {
          let run = new Run(maximum);
          fc.modelRun(() => {
            run = new Run(maximum);
            const model: Model = { reason: 'running', situation: 'idle', attempts: 0 };
            return { model, real: run };
          }, sequence);
          for (const edge of run.edges) reached.add(edge);
        },
      ),
      { numRuns: 500 },
    );
    const edges = {
      opened: [0],
      suggested: [0],
      'not-computed': [0],
      'hit of one-run': [1],
      'hit of several': [0, 3],
      'hit of surest': [0, 1],
      miss: [0, 3],
      failed: [0, 3],
      'given-up': [0, 3],
      'nothing-new': [2],
      stopped: [2],
    };
    const expected = Object.entries(edges).flatMap(([name, ends]) => ends.map((end) => `${name}: ${end}`));
    // Once a run has satisfied everything, every end is a success; the model says so.
    const isSuccess = (edge: string) => edge.endsWith(': 1') && !expected.includes(edge);
    expect([...reached].filter((edge) => !isSuccess(edge)).sort()).toEqual(expected.sort());
  });
});

describe('the transition table', () => {
  const events = Object.keys(TRANSITIONS) as ObjectiveEvent[];
  const finals = Object.values(Reason).filter((reason) => reason !== Reason.running);

  test.each(finals)('The final state %i has no outgoing edge', (reason) => {
    expect(isFinal(reason)).toBe(true);
    for (const event of events) expect(nextState(reason, event)).toBeUndefined();
  });

  it('The stop reasons have the numbers of the interface', () => {
    expect(Reason).toEqual({ running: 0, satisfied: 1, stopped: 2, exhausted: 3 });
  });

  test.each([
    ['inverse-suggested', 0, 'active'],
    ['output-satisfied', 1, 'converged'],
    ['output-satisfied-first', 0, 'converged'],
    ['output-unsatisfied', 0, 'active'],
    ['last-output-unsatisfied', 3, 'max_iterations'],
    ['nothing-new', 2, 'stopped'],
    ['held', 1, 'stopped'],
    ['attempts-used-up', 3, 'stopped'],
    ['stopped-by-hand', 2, 'stopped'],
    ['run-failed', 0, 'failed'],
    ['last-run-failed', 3, 'failed'],
    ['computation-failed', 0, 'failed'],
  ] as const)('On %s a running objective becomes %i and its inverse %s', (event, stopReason, inverseStatus) => {
    expect(nextState(Reason.running, event)).toEqual({ stopReason, inverseStatus });
  });
});

/** State of an objective after a change of the only open inverse: its stop reason and the status of the inverse. */
function statesAfter(
  change: Change,
  attempts: Pick<Standing, 'attemptCount' | 'maximumAttempts'>,
  quest: Quest = ONE_RUN,
) {
  const standing = { ...nothingReached(1), ...attempts, open: [7] };
  const { standing: next, status } = after({ quest, definition: DEFINITION, variables: [] }, standing, change)!;
  return [next.stopReason, status];
}

const output = (isMet: boolean, isLate = false): Change => ({
  kind: 'output',
  run: { id: 7, iteration: 7, input: [], output: [isMet ? 0 : 5] },
  isAdmissible: true,
  isLate,
});
const failed: Change = { kind: 'failed', id: 7 };

describe('an output and a failed run', () => {
  const attempts = fc.record({ attemptCount: fc.nat(600), maximumAttempts: fc.integer({ min: 1, max: 600 }) });

  it('The last output still satisfies the objective', () => {
    fc.assert(fc.property(attempts, (used) => statesAfter(output(true), used)[0] === Reason.satisfied));
  });

  test.each([
    [499, 500, [0, 'active'], [0, 'failed']],
    [500, 500, [3, 'max_iterations'], [3, 'failed']],
    [501, 500, [3, 'max_iterations'], [3, 'failed']],
    [1, 1, [3, 'max_iterations'], [3, 'failed']],
    [0, 1, [0, 'active'], [0, 'failed']],
  ] as const)(
    'After %i of %i attempts an output that misses leads to %j and a failed run to %j',
    (attemptCount, maximumAttempts, missed, failure) => {
      expect(statesAfter(output(false), { attemptCount, maximumAttempts })).toEqual(missed);
      expect(statesAfter(failed, { attemptCount, maximumAttempts })).toEqual(failure);
    },
  );
});

describe('an objective that asks for more than one run', () => {
  const quest = confidence(0.9, 'run');

  it('goes on after a satisfying output and after its last attempt: the next suggestion decides', () => {
    const last = { attemptCount: 5, maximumAttempts: 5 };
    expect(statesAfter(output(true), last, quest)).toEqual([0, 'active']);
    expect(statesAfter(failed, last, quest)).toEqual([0, 'failed']);
    expect(statesAfter({ kind: 'given-up', id: 7 }, last, quest)).toEqual([0, 'stopped']);
    expect(statesAfter(output(true, true), last, quest)).toEqual([0, 'stopped']);
    expect(statesAfter(output(true, true), last)).toEqual([1, 'converged']);
  });

  it('keeps its verdict after a correction that it does not rest on, and is decided again with reopen', () => {
    const satisfied = { attemptCount: 3, maximumAttempts: 5, stopReason: Reason.satisfied };
    const runs: RevisedRun[] = [
      { id: 1, status: 'active', result: 'satisfied', ...COMPLETED },
      { id: 2, status: 'stopped', result: 'late', ...COMPLETED },
    ];
    expect(reviseStates(quest, satisfied, runs, false, false)).toEqual({
      stopReason: Reason.satisfied,
      statuses: new Map(),
      exhaustedId: null,
    });
    expect(reviseStates(quest, satisfied, runs, false, true)).toBeUndefined();
    expect(reviseStates(quest, satisfied, runs, true, true)?.stopReason).toBe(Reason.running);
    const exhausted = { ...satisfied, stopReason: Reason.exhausted };
    expect(reviseStates(quest, exhausted, runs, false)?.stopReason).toBe(Reason.exhausted);
  });
});

describe('an active inverse', () => {
  const active = { status: 'active' } as const;

  it('An active inverse is being computed, awaits its output or is completed, never two of them', () => {
    expect(isBeingComputed({ ...active, input: null })).toBe(true);
    expect(awaitsOutput({ ...active, input: null, output: null })).toBe(false);
    expect(isBeingComputed({ ...active, input: [1] })).toBe(false);
    expect(awaitsOutput({ ...active, input: [1], output: null })).toBe(true);
    expect(awaitsOutput({ ...active, input: [1], output: [2] })).toBe(false);
  });

  test.each(['converged', 'max_iterations', 'stopped', 'failed'] as const)(
    'An inverse that became %s is no longer open',
    (status) => {
      expect(isBeingComputed({ status, input: null })).toBe(false);
      expect(awaitsOutput({ status, input: [1], output: null })).toBe(false);
    },
  );
});

describe('the states after a correction', () => {
  const run = (id: number, result: RevisedRun['result'], status: InverseStatus = 'active'): RevisedRun => ({
    id,
    result,
    status,
    ...COMPLETED,
    completedOrder: id,
  });
  const goingOn = { attemptCount: 3, maximumAttempts: 10 };
  const usedUp = { attemptCount: 10, maximumAttempts: 10 };
  const met = [run(1, 'unsatisfied'), run(2, 'satisfied')];
  const unmet = [run(1, 'unsatisfied'), run(2, 'unsatisfied', 'converged')];

  test.each([
    // From, attempts, results, with reopen and without.
    ['running', goingOn, met, 'satisfied', 'satisfied'],
    ['running', goingOn, unmet, 'running', 'running'],
    ['running', usedUp, unmet, 'running', 'running'],
    ['satisfied', goingOn, met, 'satisfied', 'satisfied'],
    ['satisfied', goingOn, unmet, 'running', undefined],
    ['satisfied', usedUp, unmet, 'exhausted', undefined],
    ['stopped', goingOn, met, 'satisfied', undefined],
    ['stopped', goingOn, unmet, 'running', 'stopped'],
    ['stopped', usedUp, unmet, 'stopped', 'stopped'],
    ['exhausted', usedUp, met, 'satisfied', undefined],
    ['exhausted', usedUp, unmet, 'exhausted', 'exhausted'],
  ] as const)(
    'An objective that is %s with %o and the runs %o becomes %s with reopen, %s without',
    (from, attempts, runs, reopened, kept) => {
      const objective = { ...attempts, stopReason: Reason[from] };
      expect(reviseStates(ONE_RUN, objective, runs, true)?.stopReason).toBe(Reason[reopened]);
      expect(reviseStates(ONE_RUN, objective, runs, false)?.stopReason).toBe(kept && Reason[kept]);
    },
  );

  it('The inverses follow: satisfied ones converge, the open one stops, the last one uses up the attempts', () => {
    const running = { ...goingOn, stopReason: Reason.running };
    expect(
      reviseStates(
        ONE_RUN,
        running,
        [run(1, 'unsatisfied'), run(2, 'satisfied'), run(3, 'failed'), run(4, 'open')],
        false,
      ),
    ).toEqual({
      stopReason: Reason.satisfied,
      statuses: new Map([
        [2, 'converged'],
        [3, 'failed'],
        [4, 'stopped'],
      ]),
      exhaustedId: null,
    });
    expect(reviseStates(ONE_RUN, running, [run(1, 'unsatisfied'), run(2, 'open')], false)?.statuses).toEqual(new Map());
    const ended = { ...usedUp, stopReason: Reason.satisfied };
    expect(reviseStates(ONE_RUN, ended, [...unmet, run(3, 'never-run', 'failed')], true)).toEqual({
      stopReason: Reason.exhausted,
      statuses: new Map([[2, 'max_iterations']]),
      exhaustedId: 2,
    });
    const exhausted = { ...usedUp, stopReason: Reason.exhausted };
    const last = [run(1, 'satisfied'), run(2, 'unsatisfied', 'max_iterations'), run(3, 'never-run', 'stopped')];
    expect(reviseStates(ONE_RUN, exhausted, last, true)).toEqual({
      stopReason: Reason.satisfied,
      statuses: new Map([
        [1, 'converged'],
        [2, 'active'],
      ]),
      exhaustedId: null,
    });
    expect(
      reviseStates(ONE_RUN, exhausted, [run(1, 'unsatisfied'), run(2, 'failed', 'max_iterations')], false),
    ).toEqual({
      stopReason: Reason.exhausted,
      statuses: new Map([[2, 'failed']]),
      exhaustedId: 2,
    });
  });

  it('Whatever was corrected, an objective is satisfied exactly when a run satisfies it, unless its end is kept', () => {
    const result = fc.constantFrom<RevisedRun['result']>('satisfied', 'unsatisfied', 'failed', 'never-run');
    const status = fc.constantFrom<InverseStatus>('active', 'converged', 'max_iterations', 'stopped', 'failed');
    const completed = fc.array(fc.record({ result, status }), { minLength: 1, maxLength: 6 });
    const objective = fc.record({
      stopReason: fc.constantFrom(...Object.values(Reason)),
      attemptCount: fc.nat(3),
      maximumAttempts: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(objective, completed, fc.boolean(), fc.boolean(), (before, list, isOpen, mayReopen) => {
        const open = isOpen && before.stopReason === Reason.running ? [run(99, 'open')] : [];
        const runs = [...list.map((one, id) => ({ id, ...COMPLETED, ...one })), ...open];
        const isMet = runs.some(({ result }) => result === 'satisfied');
        const after = reviseStates(ONE_RUN, before, runs, mayReopen);
        if (after === undefined) {
          expect(mayReopen).toBe(false);
          expect(before.stopReason === Reason.satisfied).toBe(!isMet);
          expect(before.stopReason).not.toBe(Reason.running);
          return;
        }
        expect(after.stopReason === Reason.satisfied).toBe(isMet);
        const statuses = runs.map(({ id, status }) => after.statuses.get(id) ?? status);
        const isActive = open.length > 0 && statuses.at(-1) === 'active';
        expect(isActive).toBe(open.length > 0 && after.stopReason === Reason.running);
        runs.forEach(({ result, status }, i) => {
          if (result === 'satisfied') expect(statuses[i]).toBe('converged');
          if (result === 'failed') expect(statuses[i]).toBe('failed');
          if (result === 'never-run') expect(statuses[i]).toBe(status);
          if (result === 'unsatisfied') expect(['active', 'max_iterations']).toContain(statuses[i]);
        });
        // The same again changes nothing.
        const again = runs.map((one, i) => ({ ...one, status: statuses[i]! })).filter(({ id }) => id !== 99);
        const second = reviseStates(ONE_RUN, { ...before, stopReason: after.stopReason }, again, false);
        expect(second?.stopReason).toBe(after.stopReason);
        expect(second?.statuses).toEqual(new Map());
      }),
    );
  });
});

it('A late output that satisfies everything counts where no other run does, and is left as it is where one does', () => {
  const objective = { attemptCount: 3, maximumAttempts: 5, stopReason: Reason.satisfied };
  const late: RevisedRun = { id: 2, status: 'stopped', result: 'late', ...COMPLETED };
  const other: RevisedRun = { id: 1, status: 'converged', result: 'satisfied', ...COMPLETED };
  expect(reviseStates(ONE_RUN, objective, [other, late], false)?.statuses).toEqual(new Map());
  const corrected: RevisedRun = { ...other, result: 'unsatisfied' };
  expect(reviseStates(ONE_RUN, objective, [corrected, late], false)).toMatchObject({
    stopReason: Reason.satisfied,
    statuses: new Map([
      [1, 'active'],
      [2, 'converged'],
    ]),
  });
});
