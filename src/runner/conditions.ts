/** An evaluation whose data sets were measured under different conditions: the black box runs once under each of them. */
import type { Evaluate, Outcome } from '../../clients/typescript/src/evaluator/evaluation.ts';
import { type Call, callsOf } from '../../clients/typescript/src/solve/conditions.ts';
import type { JacobianRows } from '../../clients/typescript/src/solve/derivatives.ts';
import type { Fit } from '../../clients/typescript/src/solve/fit.ts';
import type { CallOptions } from './black-box/black-box.ts';
import type { CurvePlace } from './files/read-output.ts';
import type { Trial } from './files/writing.ts';
import { withRows } from './jacobian.ts';
import { type FittedOutput, type Problem, shownOutputs } from './problem.ts';
import { trialOf } from './trial-values.ts';

/** Runs the black box of one call. */
type MakeCall = (options: CallOptions) => Promise<Evaluate>;

/** Throws what `make` throws. */
export async function evaluateUnderConditions(problem: Problem, make: MakeCall): Promise<Evaluate> {
  const calls = callsOfProblem(problem);
  const inputs = problem.inputs;
  if (calls.length === 0) {
    const whole = wholeCall(problem);
    return withRows(await make(whole), { inputs, outputs: whole.names.outputs, fits: whole.fits });
  }
  const trials = problem.inputs.map(trialOf);
  const evaluates: Evaluate[] = [];
  for (const call of calls) {
    const options = optionsOf(problem, call, calls, trials);
    evaluates.push(withRows(await make(options), { inputs, outputs: options.names.outputs, fits: options.fits }));
  }
  return async (evaluation, signal) => {
    const outputs = new Map<string, readonly number[]>();
    const slopes = new Map<string, JacobianRows>();
    for (const [k, { when, outputs: named }] of calls.entries()) {
      const inputByName = { ...evaluation.inputByName, ...when };
      const outputNames = named.map(({ output }) => output);
      const asked = { ...evaluation, inputByName, outputNames, outputCount: outputNames.length };
      const outcome = await evaluates[k]!(asked, signal);
      if (outcome.kind !== 'output')
        return outcome.kind === 'failure' ? { ...outcome, reason: placed(outcome, when) } : outcome;
      divide(problem, named, outcome.output as readonly number[], outputs);
      if (outcome.jacobian != null) divide(problem, named, outcome.jacobian as JacobianRows, slopes);
    }
    const output = shownOutputs(problem).flatMap(({ name }) => outputs.get(name)!);
    if (slopes.size === 0) return { kind: 'output', output };
    const unknown = inputs.map(() => null);
    const rowsOf = (name: string) => slopes.get(name) ?? outputs.get(name)!.map(() => unknown);
    return { kind: 'output', output, jacobian: shownOutputs(problem).flatMap(({ name }) => rowsOf(name)) };
  };
}

function callsOfProblem(problem: Problem): readonly Call[] {
  return callsOf(shownOutputs(problem).map(({ name, set }) => [name, fitAt(problem, set) ?? {}]));
}

function fitAt({ fits }: Problem, set: number | undefined): Fit | undefined {
  return set === undefined ? undefined : fits[set]!.fit;
}

/** Hands out what one call gave, a number or a row for each point, to the goals that it is about. */
function divide<T>(problem: Problem, named: Call['outputs'], given: readonly T[], outputs: Map<string, readonly T[]>) {
  let at = 0;
  for (const { goal } of named) {
    const count = problem.fits.find(({ name }) => name === goal)?.fit.values.length ?? 1;
    outputs.set(goal, given.slice(at, at + count));
    at += count;
  }
}

function placed({ reason }: Extract<Outcome, { kind: 'failure' }>, when: Call['when']): string {
  const where = Object.entries(when).map(([name, value]) => `${name} = ${value}`);
  return `with ${where.join(', ')}: ${reason}`;
}

function wholeCall(problem: Problem): CallOptions {
  const outputs = shownOutputs(problem).map(({ name }) => name);
  return {
    names: { inputs: problem.inputs.map(({ name }) => name), outputs },
    fits: new Map(problem.fits.map(({ name, fit }) => [name, fit])),
    curves: problem.fits.flatMap((one) => curveOf(one, one.name)),
    isWhole: true,
    trials: problem.inputs.map(trialOf),
  };
}

function optionsOf(
  problem: Problem,
  { when, outputs }: Call,
  calls: readonly Call[],
  trials: readonly Trial[],
): CallOptions {
  const fits = outputs.flatMap(({ goal, output }) => {
    const fit = problem.fits.find(({ name }) => name === goal);
    return fit === undefined ? [] : [{ fit, output }];
  });
  const names = outputs.map(({ output }) => output);
  return {
    names: { inputs: [...problem.inputs.map(({ name }) => name), ...Object.keys(when)], outputs: names },
    fits: new Map(fits.map(({ fit, output }) => [output, fit.fit])),
    curves: fits.flatMap(({ fit, output }) => curveOf(fit, output)),
    isWhole: false,
    trials: [
      ...trials,
      ...Object.entries(when).map(([name, value]) => ({ name, values: [value], bounds: null, areStated: true })),
    ],
    otherOutputs: calls.flatMap((call) => call.outputs.map(({ output }) => output)),
  };
}

function curveOf({ read }: FittedOutput, name: string): readonly CurvePlace[] {
  return read === null ? [] : [{ name, ...read }];
}
