/**
 * Answers the questions of solvers in other languages about the problems.
 *
 *   {"op":"list"}                                 -> {"problems":[name, ...]} of the collection
 *   {"op":"describe","problem":name}              -> variables, intervals, l1, types, targets, start, budget, noisy, family
 *   {"op":"evaluate","problem":name,"x":[...],"seed":s,"index":i}
 *                                                 -> {"output":[...] or null for a failed run, "satisfied":boolean}
 *
 * It never reveals solutions.
 */
import { compileGoal } from '../../src/domain/search/acceptance.ts';
import { problems } from './collection.ts';
import { judge } from './judge.ts';
import { toDefinition } from './problem.ts';
import { getProblemOfAnySet } from './sets.ts';

export interface ProblemRequest {
  readonly op: string;
  readonly problem: string;
  readonly x: readonly number[];
  readonly seed: number;
  readonly index: number;
}

/** JSON has no infinity; the peers read null as an absent end. */
const end = (value: number) => (Number.isFinite(value) ? value : null);

function describe(name: string): object {
  const problem = getProblemOfAnySet(name);
  const goal = compileGoal(toDefinition(problem));
  return {
    name,
    family: problem.family,
    variables: problem.variables,
    intervals: goal.targets.map((target) => [end(target.lower), end(target.upper)]),
    types: problem.objectives.map((objective) => objective.type),
    targets: problem.objectives.map((objective) => objective.target),
    l1: goal.l1,
    start: problem.start,
    budget: problem.budget,
    noisy: problem.noisy,
  };
}

/** @throws Error when the problem is not known */
export function answer(request: ProblemRequest): object {
  switch (request.op) {
    case 'list':
      return { problems: problems.map((problem) => problem.name) };
    case 'describe':
      return describe(request.problem);
    case 'evaluate': {
      const problem = getProblemOfAnySet(request.problem);
      const output = problem.evaluate(request.x, { seed: request.seed, index: request.index });
      return { output, satisfied: judge(problem, output) };
    }
    default:
      return { error: `unknown op ${request.op}` };
  }
}
