/** Which runs of an objective that seeks several solutions are solutions. */

import type { Db, Trx } from '../../db/connection/transaction.ts';
import { findProject } from '../../db/data/projects.ts';
import { listSolutionInputs } from '../../db/search/inverses.ts';
import type { ObjectiveWithParents } from '../../db/search/objectives.ts';
import type { Evaluation } from '../../domain/acceptance.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { Inverse } from '../../domain/inverse.ts';
import type { Objective } from '../../domain/objective.ts';
import { isApart } from '../../domain/search/several-solutions.ts';
import { toOptimizerSpace } from './engine-input.ts';

export interface SolutionCount {
  /** Whether the run satisfies everything and, where several solutions are sought, lies apart from those found. */
  readonly isSatisfied: boolean;
  /** Whether further ones are sought besides. */
  readonly isMoreSought: boolean;
}

export const NOTHING_FOUND: SolutionCount = { isSatisfied: false, isMoreSought: false };

/** What an evaluated inverse means for its objective. The caller sees to it that no other one is completed meanwhile. */
export async function countSolutions(
  db: Db | Trx,
  accountId: number,
  objective: ObjectiveWithParents,
  inverse: Inverse,
  { isSatisfied }: Evaluation,
): Promise<SolutionCount> {
  const option = objective.options?.solutions;
  if (!isSatisfied || !option) return { isSatisfied, isMoreSought: false };
  const found = await listSolutionInputs(db, objective.id);
  const project = (await findProject(db, accountId, objective.projectId))!;
  const { variables } = toOptimizerSpace(project, objective);
  if (!isApart(variables, option, found, inverse.input!)) return NOTHING_FOUND;
  return { isSatisfied, isMoreSought: found.length + 1 < option.count };
}

export function solutionEvents({ id, options }: Objective, isFound: boolean): readonly NewEvent[] {
  return isFound && options?.solutions ? [{ name: 'objective.solution_found', resourceId: id }] : [];
}
