import type { SuggestRequest } from '../interface/problem.ts';
import { confidence } from './confidence.ts';
import { fit } from './fit.ts';
import { front } from './front.ts';
import { meanOfRuns } from './mean-of-runs.ts';
import { oneRun } from './one-run.ts';
import type { Kind, Quest } from './quest.ts';
import { several } from './several.ts';
import { surest } from './surest.ts';

/** The kinds of search besides that for one run. They exclude each other; of those that a request asks for the first counts. */
const KINDS: readonly Kind[] = [front, fit, several, surest, meanOfRuns, confidence];

/** Returns the kind of search that a request asks for. */
export function questOf(request: SuggestRequest): Quest {
  for (const kind of KINDS) {
    const quest = kind(request);
    if (quest) return quest;
  }
  return oneRun(request);
}
