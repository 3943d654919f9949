/** The only translation between the domain's records and the optimizer's arrays. */
import { compileGoal } from '../domain/acceptance.ts';
import { InverseStatus } from '../domain/inverse.ts';
import type { Objective } from '../domain/objective.ts';
import type { InputSpace, ProjectWithCases } from '../domain/project.ts';
import type { OutputCaseSetWithCases } from '../domain/trial.ts';
import type { History, Space, SuggestRequest } from '../optimizer/problem.ts';

/** One evaluated point; output null where the run failed. */
export interface HistoryCase {
  readonly input: readonly number[];
  readonly output: readonly number[] | null;
}

export interface HistoryParts {
  readonly project: Pick<ProjectWithCases, 'inputCases'>;
  readonly set: Pick<OutputCaseSetWithCases, 'outputCases' | 'failedCases'>;
  readonly objective: Pick<Objective, 'initialInput' | 'initialOutput'>;
  readonly inverses: readonly {
    readonly iteration: number;
    readonly status: string;
    readonly input: readonly number[] | null;
    readonly output: readonly number[] | null;
  }[];
}

/**
 * Everything known before a suggestion, in the order in which it became known: the loaded cases, the initial point, then
 * every inverse with an output or a failed run. Inverses that were never run (stopped, failed computations) stay out.
 */
export function collectHistory(parts: HistoryParts): {
  readonly cases: readonly HistoryCase[];
  readonly firstSuggested: number;
} {
  const failed = new Set(parts.set.failedCases);
  const { inputCases } = parts.project;
  const cases: HistoryCase[] = parts.set.outputCases.toRows().map((output, i) => ({
    input: inputCases.row(i),
    output: failed.has(i) ? null : output,
  }));
  cases.push({ input: parts.objective.initialInput, output: parts.objective.initialOutput });
  const firstSuggested = cases.length;
  for (const inverse of parts.inverses) {
    if (inverse.iteration === 1 || inverse.input === null) continue;
    if (inverse.output !== null || inverse.status === InverseStatus.failed)
      cases.push({ input: inverse.input, output: inverse.output });
  }
  return { cases, firstSuggested };
}

export function toOptimizerSpace(space: InputSpace): Space {
  return {
    variables: space.inputTypes.map((kind, i) => ({
      kind,
      minimum: space.minimums[i]!,
      maximum: space.maximums[i]!,
    })),
  };
}

/** @param workLimit  see SuggestRequest.workLimit */
export function toSuggestRequest(
  space: InputSpace,
  objective: Objective,
  collected: { readonly cases: readonly HistoryCase[]; readonly firstSuggested: number },
  workLimit: number,
): SuggestRequest {
  return {
    space: toOptimizerSpace(space),
    goal: compileGoal(objective),
    history: toHistory(collected.cases, space.inputCount, objective.objectives.length),
    firstSuggested: collected.firstSuggested,
    convergence: objective.convergence,
    seed: objective.seed,
    workLimit,
  };
}

function toHistory(cases: readonly HistoryCase[], n: number, m: number): History {
  const X = new Float64Array(cases.length * n);
  const Y = new Float64Array(cases.length * m);
  const failed = new Uint8Array(cases.length);
  cases.forEach(({ input, output }, row) => {
    X.set(input, row * n);
    if (output === null) failed[row] = 1;
    else Y.set(output, row * m);
  });
  return { count: cases.length, X, Y, failed };
}
