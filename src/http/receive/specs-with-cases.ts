/** Bodies that may be large, by the names under which threads find them. Imports no database: threads load all of it. */

import type { BodySpec } from '../body/spec.ts';
import {
  newBatch as nativeBatch,
  newBatchObjectives as nativeBatchObjectives,
} from '../native/batches/batches.wire.ts';
import { newOutputCases as nativeOutputCases } from '../native/data/output-cases.wire.ts';
import { newTrialCases as nativeTrialCases } from '../native/data/trial-cases.wire.ts';
import { newNote } from '../native/notes/notes.wire.ts';
import { newProject as nativeProject } from '../native/problem/projects.wire.ts';
import { newWorkbook } from '../native/workbooks/workbooks.wire.ts';
import { newProject as sdkProject } from '../sdk/projects.wire.ts';
import { newOutputCases as sdkOutputCases } from '../sdk/trials.wire.ts';

export const SPECS_WITH_CASES = {
  nativeBatch,
  nativeBatchObjectives,
  nativeProject,
  nativeOutputCases,
  nativeTrialCases,
  newWorkbook,
  newNote,
  sdkProject,
  sdkOutputCases,
} satisfies Readonly<Record<string, BodySpec<unknown>>>;

export type SpecName = keyof typeof SPECS_WITH_CASES;

export function nameOfSpec(spec: BodySpec<unknown>): SpecName | undefined {
  return (Object.keys(SPECS_WITH_CASES) as SpecName[]).find((name) => SPECS_WITH_CASES[name] === spec);
}
