/** The only translation between the domain's records and the optimizer's arrays. */
import type { Snapshot } from '../db/suggestions.ts';
import { compileGoal } from '../domain/acceptance.ts';
import { type InputDetails, type InputSpace, Scale } from '../domain/input-space.ts';
import type { History, Space, SuggestRequest, Variable } from '../optimizer/problem.ts';

export function toOptimizerSpace(space: InputSpace): Space {
  const { details } = space;
  const variables = space.inputTypes.map((kind, i) => ({
    kind,
    minimum: space.minimums[i]!,
    maximum: space.maximums[i]!,
    ...(details && toVariableDetails(details, space, i)),
  }));
  if (details === undefined || details.conditions.length === 0) return { variables };
  const { conditions, feasibleInput } = details;
  return { variables, conditions, ...(feasibleInput && { feasibleInput }) };
}

function toVariableDetails(details: InputDetails, space: InputSpace, i: number): Partial<Variable> {
  const [step, levels] = [details.steps?.[i] ?? null, details.levels?.[i] ?? null];
  const [low, high] = [details.likelyMinimums?.[i] ?? null, details.likelyMaximums?.[i] ?? null];
  return {
    ...(details.scales?.[i] === Scale.log && { isLogarithmic: true }),
    ...(step !== null && { step }),
    ...(levels !== null && { levels }),
    ...((low !== null || high !== null) && {
      likely: { minimum: low ?? space.minimums[i]!, maximum: high ?? space.maximums[i]! },
    }),
  };
}

/**
 * Everything known before a suggestion, in the order in which it became known: the cases, the initial point, then every inverse
 * that was run.
 *
 * @param workLimit  see SuggestRequest.workLimit
 */
export function toSuggestRequest(snapshot: Snapshot, workLimit: number): SuggestRequest {
  const { objective, space, outputCases } = snapshot;
  return {
    space: toOptimizerSpace(space),
    goal: compileGoal(objective),
    history: toHistory(snapshot),
    firstSuggested: outputCases.rows + 1,
    convergence: objective.convergence,
    seed: objective.seed,
    workLimit,
  };
}

function toHistory({ objective, inputCases, outputCases, failedCases, inputs, outputs }: Snapshot): History {
  const n = objective.initialInput.length;
  const m = objective.initialOutput.length;
  const firstRun = outputCases.rows + 1;
  const count = firstRun + outputs.rows;
  const X = new Float64Array(count * n);
  const Y = new Float64Array(count * m);
  const failed = new Uint8Array(count);
  X.set(inputCases.values.subarray(0, outputCases.rows * n));
  Y.set(outputCases.values);
  X.set(objective.initialInput, outputCases.rows * n);
  Y.set(objective.initialOutput, outputCases.rows * m);
  X.set(inputs.values, firstRun * n);
  Y.set(outputs.values, firstRun * m);
  const fail = (row: number): void => {
    failed[row] = 1;
    Y.fill(0, row * m, (row + 1) * m);
  };
  for (const row of failedCases) fail(row);
  for (let row = firstRun; row < count; row++) if (Number.isNaN(Y[row * m])) fail(row);
  return { count, X, Y, failed };
}
