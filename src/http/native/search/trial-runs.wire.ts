/** All runs of a trial, as one of its objectives judges them. */
import { z } from 'zod';
import type { TrialRun, TrialRuns } from '../../../application/search/read-trial-runs.ts';
import {
  COMPLETED_ROW,
  FAILED_ROW,
  type RowColumn,
  titleOfRow,
  toCaseColumns,
} from '../../../domain/data/case-columns.ts';
import { InverseStatus, RUN_VIEWS, sentName } from '../../../domain/data/run-fields.ts';
import { CaseOrigin } from '../../../domain/data/trial-cases.ts';
import { sourceNames } from '../../../domain/problem/sources.ts';
import { makeVerdict } from '../../../domain/search/acceptance.ts';
import { type MissMeasure, makeMissMeasure } from '../../../domain/search/nearest.ts';
import { mapBatches } from '../../answer/json-array.ts';
import { derivativeCells, derivativeTitles, type ExportedRow, type RowTable } from '../../answer/row-table.ts';
import type { AnswerSpec } from '../../operation/operation.ts';
import { MEDIA_TYPES, workbookSchema } from '../../wire/formats.ts';
import { presentFacts, presentRow, runShape } from '../data/run-fields.wire.ts';

const { after, ofTrial } = RUN_VIEWS;
const OF_OBJECTIVE = 'objective';

const facts = {
  source: z
    .enum([...Object.values(CaseOrigin), OF_OBJECTIVE])
    .describe('designed: a case of the load; added: one that came later; objective: a run of an objective.'),
  sourceName: z
    .string()
    .nullable()
    .describe('For an added case what was stated of it, for a run the cheaper source; null for the black box itself.'),
  number: z.int().nullable().describe('The number of the case; null for a run of an objective.'),
  iteration: z.int().nullable().describe('The iteration of the run; null for a case.'),
  status: z.enum([COMPLETED_ROW, ...Object.values(InverseStatus)]).describe('completed or failed for a case.'),
};

export const trialRunSchema = z
  .object({
    position: z.int().describe('In this list: after takes it. Positions ascend, with gaps.'),
    ...facts,
    objectiveId: z.int().nullable(),
    objectiveNumber: z.int().nullable().describe('1 for the first objective of the trial.'),
    inverseId: z.int().nullable(),
    input: z.array(z.number()),
    output: z.array(z.number()).nullable().describe('null until it is loaded, and if the run failed.'),
    met: z
      .array(z.boolean())
      .nullable()
      .describe('Whether each output meets the objective that is asked, whoever made the run; null without an output.'),
    ...runShape(ofTrial),
  })
  .meta({ id: 'TrialRun' });

export function makePresentTrialRun(runs: TrialRuns): (run: TrialRun) => z.infer<typeof trialRunSchema> {
  const { objective } = runs;
  const judge = judgeOf(runs);
  const measure = makeMissMeasure(objective);
  return (run) => {
    const met = judge(run);
    return {
      position: run.position,
      ...factsOf(run),
      objectiveId: run.kind === 'run' ? run.objectiveId : null,
      objectiveNumber: run.kind === 'run' ? run.objectiveNumber : null,
      inverseId: run.kind === 'run' ? run.id : null,
      input: [...run.input],
      output: run.output && [...run.output],
      met,
      ...presentRow(ofTrial, { ...run, ...derivativesIn(run), ...(met !== null && missesIn(run, measure)) }),
    };
  };
}

function factsOf(run: TrialRun): { [Name in keyof typeof facts]: z.infer<(typeof facts)[Name]> } {
  if (run.kind === 'run') {
    const status = run.status as InverseStatus;
    return { source: OF_OBJECTIVE, sourceName: run.sourceName, number: null, iteration: run.iteration, status };
  }
  const status = run.output === null ? FAILED_ROW : COMPLETED_ROW;
  return { source: run.origin, sourceName: run.source, number: run.number, iteration: null, status };
}

function derivativesIn(run: TrialRun) {
  return run.kind === 'case' && { hasJacobian: run.jacobian !== null };
}

function missesIn({ output }: TrialRun, measure: MissMeasure) {
  return (
    output && {
      misses: measure.missesOf(output),
      missedBy: measure.missedByOf(output),
      misfit: measure.misfitOf(output),
    }
  );
}

/** null without an output, and for runs of cheaper sources, which meet nothing. */
function judgeOf({ objective, project }: TrialRuns): (run: TrialRun) => boolean[] | null {
  const judge = makeVerdict(objective);
  const coarse = sourceNames(project.sources);
  return (run) => {
    const source = run.kind === 'run' ? run.sourceName : run.source;
    return run.output === null || coarse.has(source ?? '') ? null : [...judge(run.output)];
  };
}

const BEFORE = [
  'source',
  'sourceName',
  'objective',
  'number',
  'iteration',
  'status',
] as const satisfies readonly RowColumn[];

const byName = (values: z.ZodType) => z.record(z.string(), values).nullable();

const trialRunLineSchema = z
  .object({
    ...facts,
    objective: z.int().nullable().describe('The number of the objective whose run it is.'),
    input: byName(z.union([z.number(), z.string(), z.boolean()])).describe('By name, categories by theirs.'),
    output: byName(z.number()).describe('By name; null until it is loaded, and if the run failed.'),
    met: byName(z.boolean()).describe('Whether each output meets the objective that is asked; null without an output.'),
    ...runShape(after, true),
  })
  .meta({ id: 'TrialRunLine' });

export const trialRunTypes: NonNullable<AnswerSpec['otherTypes']> = {
  [MEDIA_TYPES.csv]: z
    .string()
    .describe(
      `RFC 4180 with a header: the inputs and the outputs, each titled by name and unit, then ${BEFORE.map(titleOfRow).join(', ')}, met: with the name of each output, ${after.map(sentName).join(', ')}. It can be loaded as cases.`,
    ),
  [MEDIA_TYPES.ndjson]: trialRunLineSchema,
  [MEDIA_TYPES.xlsx]: workbookSchema,
};

export function toTrialRunTable(runs: TrialRuns, withDerivatives = false): RowTable {
  const { objective, project, batches } = runs;
  const judge = judgeOf(runs);
  const columns = toCaseColumns({ ...project, ...project.names, outputCount: objective.objectives.length });
  const derivatives = withDerivatives ? derivativeTitles(columns) : [];
  return {
    columns,
    before: BEFORE,
    after: [...after.map(sentName), ...derivatives],
    hasVerdicts: true,
    batches: mapBatches(batches, (run) => toRow(run, judge(run), derivatives)),
  };
}

function toRow(run: TrialRun, met: ExportedRow['met'], derivatives: readonly string[]): ExportedRow {
  const { source, sourceName, number, iteration, status } = factsOf(run);
  const objective = run.kind === 'run' ? run.objectiveNumber : null;
  return {
    input: run.input,
    output: run.output,
    facts: [
      source,
      sourceName,
      objective,
      number,
      iteration,
      status,
      ...presentFacts(after, run),
      ...derivativeCells(derivatives, run.jacobian ?? null),
    ],
    met,
  };
}
