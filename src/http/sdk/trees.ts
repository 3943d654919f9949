/** Records with everything below them, as existing clients expect: nested arrays, streamed while they are read. */
import type { ModelTree, ProjectTree, TrialTree } from '../../application/search/read-trees.ts';
import { JsonArray } from '../answer/json-array.ts';
import { presentModel } from './models.wire.ts';
import { presentReadObjective } from './objectives.wire.ts';
import { presentProject } from './projects.wire.ts';
import { presentTrial } from './trials.wire.ts';

export function presentModelTree({ model, projects }: ModelTree) {
  return presentModel(model, JsonArray.of(projects, presentProjectTree));
}

function presentProjectTree({ project, inputCases, trials }: ProjectTree) {
  return presentProject(project, JsonArray.plain(inputCases), JsonArray.of(trials, presentTrialTree));
}

export function presentTrialTree({ trial, set, outputCases, objectives }: TrialTree) {
  const rows = JsonArray.plain(outputCases);
  return presentTrial(trial, set, rows, JsonArray.of(objectives, presentReadObjective));
}
