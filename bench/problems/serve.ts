/**
 * The problems for solvers in other languages: one JSON object per line on stdin, one answer per line on stdout.
 *
 *   {"op":"list"}                                        -> {"problems":[name, ...]}
 *   {"op":"describe","problem":name}                     -> variables, goal (intervals), l1, start, budget, family
 *   {"op":"evaluate","problem":name,"x":[...],"seed":s,"index":i}
 *                                                        -> {"output":[...] | null, "satisfied":boolean}
 *   {"op":"known"} is not offered: solutions stay here.
 * A bad request is answered with {"error":text}; the process ends with its stdin.
 */
import { createInterface } from 'node:readline';
import { compileGoal } from '../../src/domain/acceptance.ts';
import { getProblem, problems } from './collection.ts';
import { judge } from './judge.ts';
import { toDefinition } from './problem.ts';

interface Request {
  readonly op: string;
  readonly problem: string;
  readonly x: readonly number[];
  readonly seed: number;
  readonly index: number;
}

/** JSON knows no infinity; the peers read null as an absent end. */
const end = (value: number) => (Number.isFinite(value) ? value : null);

function describe(name: string): object {
  const problem = getProblem(name);
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

function answer(request: Request): object {
  switch (request.op) {
    case 'list':
      return { problems: problems.map((problem) => problem.name) };
    case 'describe':
      return describe(request.problem);
    case 'evaluate': {
      const problem = getProblem(request.problem);
      const output = problem.evaluate(request.x, { seed: request.seed, index: request.index });
      return { output, satisfied: judge(problem, output) };
    }
    default:
      return { error: `unknown op ${request.op}` };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  let reply: object;
  try {
    reply = answer(JSON.parse(line) as Request);
  } catch (error) {
    reply = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
