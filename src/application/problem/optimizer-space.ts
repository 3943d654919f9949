/** Translates the inputs of a project or an objective into the space of the optimizer. */
import { type InputDetails, type InputSpace, Scale } from '../../domain/problem/input-space.ts';
import {
  conditionsOf,
  hasLimits,
  isAdmissible,
  NO_OBJECTIVE_LIMITS,
  type ObjectiveLimits,
} from '../../domain/search/objective-limits.ts';
import type { Space, Variable } from '../../optimizer/interface/problem.ts';

/** The space of a project, or of an objective with its own limits. */
export function toOptimizerSpace(space: InputSpace, limits: ObjectiveLimits = NO_OBJECTIVE_LIMITS): Space {
  const { details } = space;
  const { fixedInputs } = limits;
  const variables = space.inputTypes.map((kind, i) => ({
    kind,
    minimum: space.minimums[i]!,
    maximum: space.maximums[i]!,
    ...(details && toVariableDetails(details, space, i)),
    ...(fixedInputs !== null && fixedInputs[i] !== null && { fixedAt: fixedInputs[i]! }),
  }));
  const conditions = conditionsOf(space, limits);
  if (conditions.length === 0) return { variables };
  const feasibleInput = details?.feasibleInput ?? null;
  // One that breaks the limits of the objective helps nothing.
  const isFeasible = feasibleInput !== null && (!hasLimits(limits) || isAdmissible(space, limits, feasibleInput));
  return { variables, conditions, ...(isFeasible && { feasibleInput }) };
}

/** The same for an objective with limits of its own; an initial point within them shows that there are inputs. */
export function toObjectiveSpace(
  space: InputSpace,
  limits: ObjectiveLimits,
  initialInput: readonly number[] | undefined,
): Space {
  const made = toOptimizerSpace(space, limits);
  if (!hasLimits(limits) || made.conditions === undefined || made.feasibleInput !== undefined) return made;
  const isFeasible = initialInput !== undefined && isAdmissible(space, limits, initialInput);
  return isFeasible ? { ...made, feasibleInput: initialInput } : made;
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
