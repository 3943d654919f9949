/** Derivatives that a black box gives beside its outputs, put in order and checked before the service hears of them. */
import { type Evaluate, LocalFault, type Outcome } from '../../clients/typescript/src/evaluator/evaluation.ts';
import { type JacobianRows, readJacobian } from '../../clients/typescript/src/solve/derivatives.ts';
import type { Fit } from '../../clients/typescript/src/solve/fit.ts';
import type { Goals } from '../../clients/typescript/src/solve/goals.ts';
import type { Inputs } from '../../clients/typescript/src/solve/inputs.ts';
import type { InputDefinition } from './problem.ts';

/** Names that the derivatives belong to: outputs as the black box knows them, a fit being one. */
export interface JacobianShape {
  readonly inputs: readonly Pick<InputDefinition, 'name' | 'type'>[];
  readonly outputs: readonly string[];
  readonly fits: ReadonlyMap<string, Fit>;
}

/** The derivatives as one row per output, and per point of a fit. A wrong shape is wrong in every run: it throws LocalFault. */
export function withRows(evaluate: Evaluate, { inputs, outputs, fits }: JacobianShape): Evaluate {
  const named = Object.fromEntries(inputs.map(({ name, type }) => [name, { type }])) as unknown as Inputs;
  const goals = Object.fromEntries(outputs.map((name) => [name, fits.get(name) ?? {}])) as unknown as Goals;
  return async (evaluation, signal) => {
    const outcome = await evaluate(evaluation, signal);
    if (outcome.kind !== 'output' || outcome.jacobian == null) return outcome;
    return { ...outcome, jacobian: toRows(named, goals, outcome) };
  };
}

function toRows(inputs: Inputs, goals: Goals, { jacobian }: Extract<Outcome, { kind: 'output' }>): JacobianRows {
  try {
    return readJacobian(inputs, goals, jacobian);
  } catch (error) {
    if (error instanceof TypeError) throw new LocalFault(`The derivatives cannot be used. ${error.message}`);
    throw error;
  }
}
