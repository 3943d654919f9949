/** Kinds of what an objective seeks, which determines its end. Their options exclude each other; see `checkNewObjective`. */
import { type ObjectiveDefinition, outputsWithoutTarget } from './objective.ts';
import { type Confidence, confidence } from './quests/confidence.ts';
import { FIT, type Fit } from './quests/fit.ts';
import { FRONT, type Front } from './quests/front.ts';
import { type MeanOfRuns, meanOfRuns } from './quests/mean-of-runs.ts';
import { ONE_RUN, type OneRun } from './quests/one-run.ts';
import { type Several, several } from './quests/several.ts';
import { SUREST, type Surest } from './quests/surest.ts';
import type { SearchOptions } from './search-options.ts';

export type Quest = OneRun | MeanOfRuns | Confidence | Several | Surest | Front | Fit;

type Asked = Pick<ObjectiveDefinition, 'objectives' | 'objectiveTypes'> & { readonly options: SearchOptions | null };

export function questOf({ options, ...definition }: Asked): Quest {
  const { confirm, confidence: probability, confidenceOf = 'run', solutions, aimAtRobustness } = options ?? {};
  if (outputsWithoutTarget(definition).length > 0) return FRONT;
  if (options?.fits !== undefined) return FIT;
  if (confirm !== undefined) return meanOfRuns(confirm);
  if (probability !== undefined) return confidence(probability, confidenceOf);
  if (solutions !== undefined) return several(solutions);
  return aimAtRobustness === undefined ? ONE_RUN : SUREST;
}
