/**
 * Records with everything active below them, for a dialect that nests them. Each branch is read as it is written, so that no
 * tree has to fit into memory; one that changes meanwhile may show a child without its newest inverse.
 */

import type { Db } from '../../db/connection/transaction.ts';
import { findOutputCaseSets } from '../../db/data/output-case-sets.ts';
import { listTrialsOf } from '../../db/data/trials.ts';
import { listProjectsOf } from '../../db/problem/projects.ts';
import type { OutputCaseSet, Trial } from '../../domain/data/trial.ts';
import { notFound } from '../../domain/errors.ts';
import type { Model } from '../../domain/problem/model.ts';
import type { Project } from '../../domain/problem/project.ts';
import { getTrial } from '../data/manage-trials.ts';
import { type CaseBatches, readAllInputCases, readAllOutputCases } from '../data/read-cases.ts';
import type { TrialPath } from '../paths.ts';
import { getModel, listModels } from '../problem/manage-models.ts';
import { type ReadObjective, readObjectivesOf } from './read-objectives.ts';

export interface TrialTree {
  readonly trial: Trial;
  readonly set: OutputCaseSet;
  readonly outputCases: CaseBatches;
  readonly objectives: AsyncIterable<readonly ReadObjective[]>;
}

export interface ProjectTree {
  readonly project: Project;
  readonly inputCases: CaseBatches;
  readonly trials: readonly (readonly TrialTree[])[];
}

export interface ModelTree {
  readonly model: Model;
  readonly projects: readonly (readonly ProjectTree[])[];
}

/** Models whose projects and trials are in memory at a time, without their cases and objectives. */
const MODELS_PER_PAGE = 20;

/** Throws NOT_FOUND. */
export async function getModelTree(db: Db, accountId: number, modelId: number): Promise<ModelTree> {
  const model = await getModel(db, accountId, modelId);
  const [tree] = await growModels(db, accountId, [model]);
  return tree!;
}

/** All active models in pages, oldest first; the first page may be empty. */
export async function* listModelTrees(db: Db, accountId: number): AsyncGenerator<readonly ModelTree[], void> {
  let after: number | null = null;
  do {
    const page = await listModels(db, accountId, { limit: MODELS_PER_PAGE, after });
    yield await growModels(db, accountId, page.items);
    after = page.nextAfter;
  } while (after !== null);
}

/** Throws NOT_FOUND. */
export async function getTrialTree(db: Db, accountId: number, path: TrialPath): Promise<TrialTree> {
  const trial = await getTrial(db, accountId, path);
  const [tree] = await growTrials(db, accountId, [trial]);
  if (tree === undefined) throw notFound('trial', path.trialId);
  return tree;
}

async function growModels(db: Db, accountId: number, models: readonly Model[]): Promise<readonly ModelTree[]> {
  const projects = await listProjectsOf(db, accountId, idsOf(models));
  const trials = await growTrials(db, accountId, await listTrialsOf(db, accountId, idsOf(projects)));
  const trialsOf = Map.groupBy(trials, ({ trial }) => trial.projectId);
  const projectsOf = Map.groupBy(projects, (project) => project.modelId);
  const grow = (project: Project): ProjectTree => ({
    project,
    inputCases: readAllInputCases(db, accountId, project),
    trials: [trialsOf.get(project.id) ?? []],
  });
  return models.map((model) => ({ model, projects: [(projectsOf.get(model.id) ?? []).map(grow)] }));
}

async function growTrials(db: Db, accountId: number, trials: readonly Trial[]): Promise<readonly TrialTree[]> {
  const setIds = [...new Set(trials.map((trial) => trial.outputCaseSetId))];
  const sets = new Map((await findOutputCaseSets(db, accountId, setIds)).map((set) => [set.id, set]));
  return trials.flatMap((trial) => {
    const set = sets.get(trial.outputCaseSetId);
    // Deleted meanwhile, and already purged.
    if (set === undefined) return [];
    const outputCases = readAllOutputCases(db, accountId, set);
    return [{ trial, set, outputCases, objectives: readObjectivesOf(db, accountId, trial.id) }];
  });
}

function idsOf(records: readonly { readonly id: number }[]): readonly number[] {
  return records.map((record) => record.id);
}
