/**
 * The optimizer of this repository as a process for play.py: one JSON object per line each way, one play after the other.
 *
 *   {"op": "start", "inputs": [{"kind", "minimum", "maximum"}], "outputs", "shape", "start", "seed"}   answer {"version"}
 *   {"op": "ask"}                                 answer {"input", "seconds"}, or {"end", "seconds"} with the reason
 *   {"op": "tell", "output": [...] or null}       answer {}
 *
 * `shape` says what the outputs are: "residuals" to fit to zero with unknown errors, as least_squares of the Python client states them;
 * "number", one to minimize without aspiration and further ones to keep at most 0; {"objectives": d}, d to minimize without aspiration and
 * further ones to keep at most 0. As a user gets them: the designed cases first, then the start where there is one, then suggestions; no
 * stop rule. `seconds` is processor time in the optimizer since the start of the play.
 */
import { createInterface } from 'node:readline';
import { compileGoal } from '../../src/domain/search/acceptance.ts';
import { NO_TARGET, type ObjectiveDefinition, type ObjectiveType } from '../../src/domain/search/objective.ts';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import type { Goal, Target, Variable } from '../../src/optimizer/interface/problem.ts';
import { suggest, warmUp } from '../../src/optimizer/suggest.ts';
import { WORK_LIMIT } from '../solvers/play.ts';
import { optimizerVersion } from '../solvers/results.ts';

/** The default of the service. */
const CONVERGENCE = 1e-6;
const FREE: Target = { lower: -Infinity, upper: Infinity, lowerOpen: false, upperOpen: false, direction: 'none' };

interface Start {
  readonly op: 'start';
  readonly inputs: readonly Variable[];
  readonly outputs: number;
  readonly shape: 'residuals' | 'number' | { readonly objectives: number };
  readonly start: readonly number[] | null;
  readonly seed: number;
}

type Request = Start | { readonly op: 'ask' } | { readonly op: 'tell'; readonly output: readonly number[] | null };

function goalOf({ outputs, shape }: Start): Goal {
  if (shape === 'residuals') return fitOf(outputs);
  const minimized = shape === 'number' ? 1 : shape.objectives;
  const definition: ObjectiveDefinition = {
    objectives: Array.from({ length: outputs }, (_, j) => (j < minimized ? NO_TARGET.minimize : 0)),
    objectiveTypes: Array.from(
      { length: outputs },
      (_, j): ObjectiveType => (j < minimized ? 'minimize' : 'lessthan_equal'),
    ),
    minimumBounds: Array.from({ length: outputs }, () => 0),
    maximumBounds: Array.from({ length: outputs }, () => 1),
    desiredL1Norm: 0,
    convergence: CONVERGENCE,
  };
  return compileGoal(definition);
}

function fitOf(outputs: number): Goal {
  const values = Array.from({ length: outputs }, () => 0);
  const fit = { outputs: values.map((_, j) => j), values, sigmas: null, weight: 1, loss: 'linear' as const };
  return { targets: values.map(() => FREE), l1: null, fits: [fit] };
}

/** One play. */
function open(request: Start) {
  const { inputs, outputs, start, seed } = request;
  const space = { variables: inputs };
  const n = inputs.length;
  const goal = goalOf(request);
  const began = process.cpuUsage();
  const design = initialDesign({ space, outputCount: outputs, caseCount: null, seed });
  const given = Array.from({ length: design.count }, (_, i) => Array.from(design.X.subarray(i * n, (i + 1) * n)));
  if (start !== null && !given.some((x) => x.every((value, v) => value === start[v]))) given.push([...start]);
  let seconds = since(began);
  const X: number[] = [];
  const Y: number[] = [];
  const failed: number[] = [];
  let asked: readonly number[] = [];
  return {
    ask() {
      const before = process.cpuUsage();
      const proposal = failed.length < given.length ? null : next();
      seconds += since(before);
      if (proposal?.kind === 'nothing-new') return { end: proposal.reason, seconds };
      asked = proposal === null ? given[failed.length]! : Array.from(proposal.input);
      return { input: asked, seconds };
    },
    tell(output: readonly number[] | null) {
      X.push(...asked);
      Y.push(...(output ?? new Array<number>(outputs).fill(0)));
      failed.push(output === null ? 1 : 0);
      return {};
    },
  };

  function next() {
    return suggest({
      space,
      goal,
      history: {
        count: failed.length,
        X: Float64Array.from(X),
        Y: Float64Array.from(Y),
        failed: Uint8Array.from(failed),
      },
      firstSuggested: given.length,
      convergence: CONVERGENCE,
      seed,
      workLimit: WORK_LIMIT,
    });
  }
}

function since(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

warmUp();
const version = optimizerVersion();
let play: ReturnType<typeof open> | null = null;
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request;
  let answer: object;
  if (request.op === 'start') {
    play = open(request);
    answer = { version };
  } else answer = request.op === 'ask' ? play!.ask() : play!.tell(request.output);
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
