/**
 * The input cases of a project: the client's own, or those designed here. The design is a function of the space, so that the same
 * project entered twice gets the same cases.
 */
import { type CaseLimits, checkCaseLimits, NO_CASE_LIMITS } from '../../domain/data/case-limits.ts';
import { refuseViolations } from '../../domain/errors.ts';
import { Matrix } from '../../domain/matrix.ts';
import { areConditionsMet } from '../../domain/problem/conditions.ts';
import { checkRegion } from '../../domain/problem/input-details.ts';
import type { InputSpace } from '../../domain/problem/input-space.ts';
import { NO_NAMES } from '../../domain/problem/names.ts';
import { checkInput, type NewProject, type ProjectWithCases } from '../../domain/problem/project.ts';
import { seedOf } from '../../domain/seed.ts';
import { toPositiveZero } from '../../domain/vectors.ts';
import type { Design } from '../../optimizer/interface/problem.ts';
import type { DesignEngine } from './designs.ts';
import { toOptimizerSpace } from './optimizer-space.ts';

/**
 * The project with its input cases, its own or designed ones. Throws VALIDATION_FAILED past the limits, OVERLOADED. No database.
 *
 * Where its conditions leave no input that is found, one of its own cases or `start` that satisfies them becomes its feasible input.
 *
 * @param start  an input that is to be run first
 */
export async function withInputCases(
  engine: DesignEngine,
  project: NewProject,
  limits: CaseLimits = NO_CASE_LIMITS,
  start: readonly number[] | null = null,
): Promise<NewProject> {
  const { inputCases, caseCount, space } = project;
  const field = inputCases === null ? 'caseCount' : 'inputCases';
  refuseViolations(checkCaseLimits(field, inputCases?.rows ?? caseCount ?? 0, space.inputCount, limits));
  const { conditions = [], region: known = null } = space.details ?? {};
  if (inputCases !== null && (conditions.length === 0 || known !== null)) return project;
  const { cases: designed, region, feasibleInput } = await designCases(engine, project, start);
  const details = space.details && { ...space.details, region, feasibleInput };
  const checked = details === undefined ? project : { ...project, space: { ...space, details } };
  if (inputCases !== null) return checked;
  // The first ones are a design of their own.
  const isLarge = limits.cases !== 0 && designed.rows > limits.cases;
  return { ...checked, inputCases: isLarge ? Matrix.from(designed.toRows(0, limits.cases)) : designed };
}

/** Cases that continue the design of a project whose cases all failed; fewer than `count` where its space has fewer inputs. */
export async function designFurtherCases(
  engine: DesignEngine,
  { caseCount, inputCases, seed, outputCount, ...space }: ProjectWithCases,
  count: number,
): Promise<Matrix> {
  const { X } = await engine.design({
    space: toOptimizerSpace(space),
    outputCount,
    caseCount: count,
    seed,
    failed: inputCases.values,
  });
  return new Matrix(X.length / space.inputCount, space.inputCount, X.map(toPositiveZero));
}

/** Names are labels and have no part in it. Details held names once; without any they count as they did then. */
export function seedOfProject({ space, outputCount, caseCount }: NewProject): number {
  const details = space.details && { inputNames: null, inputUnits: null, ...space.details };
  return seedOf([details === undefined ? space : { ...space, details }, outputCount, caseCount]);
}

/** With cheaper sources one fine run begins the search: the suggestions design the rest, and say for which source. */
function firstCases({ sources }: NewProject): number | null {
  return sources ? 1 : null;
}

/** Throws VALIDATION_FAILED when the conditions leave no input. */
async function designCases(engine: DesignEngine, project: NewProject, start: readonly number[] | null) {
  const { space } = project;
  const request = {
    outputCount: project.outputCount,
    caseCount: project.inputCases === null ? (project.caseCount ?? firstCases(project)) : 1,
    ...(project.parallelism !== undefined && { atOnce: project.parallelism }),
    seed: seedOfProject(project),
  };
  let design = await engine.design({ ...request, space: toOptimizerSpace(space) });
  let feasibleInput = space.details?.feasibleInput ?? null;
  const known = isNotFound(design) && feasibleInput === null ? feasibleAmong(project, start) : null;
  if (known !== null) {
    const details = { ...space.details!, feasibleInput: known };
    const found = await engine.design({ ...request, space: toOptimizerSpace({ ...space, details }) });
    if (!isNotFound(found)) [design, feasibleInput] = [found, known];
  }
  const { count, X, region } = design;
  if (space.details !== undefined && region !== undefined) {
    const { inputNames } = project.names ?? NO_NAMES;
    refuseViolations(checkRegion(space.details, { ...space, inputNames }, region));
  }
  const cases = new Matrix(count, space.inputCount, X.map(toPositiveZero));
  return { cases, region: region?.kind === 'open' ? region : null, feasibleInput };
}

function isNotFound({ region }: Design): boolean {
  return region?.kind === 'nothing-found' || region?.kind === 'out-of-work';
}

/** An input that the client stated for another purpose and that satisfies all conditions; null for none. */
function feasibleAmong({ space, inputCases }: NewProject, start: readonly number[] | null): readonly number[] | null {
  const stated = [...(start === null ? [] : [start]), ...(inputCases?.toRows() ?? [])];
  return stated.find((input) => isInside(space, input)) ?? null;
}

function isInside(space: InputSpace, input: readonly number[]): boolean {
  return checkInput(space, input, []).length === 0 && areConditionsMet(space, space.details?.conditions ?? [], input);
}
