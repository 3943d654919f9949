/** The answer of a search, and the same in the form of an earlier release. */
import { z } from 'zod';
import { RUN_FIELDS } from '../../../domain/data/run-fields.ts';
import { ANSWER_KINDS, type Answer, nameOfRun, ownIterationOf } from '../../../domain/search/answer.ts';
import type { Objective } from '../../../domain/search/objective.ts';
import {
  inputByNameSchema,
  outputByNameSchema,
  presentInputByName,
  presentOutputByName,
} from '../problem/by-name.wire.ts';

const runFields = {
  caseNumber: z
    .int()
    .nullable()
    .describe('1 for the first input case; null when an inverse was the first at the input.'),
  inverseId: z.int().nullable().describe('null when a case was.'),
  iteration: z
    .int()
    .nullable()
    .describe('The number of that inverse; 1 is the initial point. null for one of another objective of the trial.'),
  input: z.array(z.number()),
  inputByName: inputByNameSchema,
  output: z
    .array(z.number())
    .describe('With confirm or confidence the mean of the runs at the input, otherwise the output of the run.'),
  outputByName: outputByNameSchema,
  misses: z
    .array(z.number())
    .describe(
      'One per objective, in units of its tolerance: 0 when satisfied, 1 when off by as much as half its range.',
    ),
  missedBy: z.array(z.number()).describe(RUN_FIELDS.missedBy.description),
  worstMiss: z.number().describe('The largest of misses; 0 when everything is satisfied.'),
};

export const bestRunSchema = z.object(runFields).meta({ id: 'NearestRun' });

export const answerSchema = z
  .object({
    kind: z
      .enum(ANSWER_KINDS)
      .describe(
        'met: a run that meets every target. declared: an input that meets them as surely as asked, by confirm or confidence. likeliest: the one that comes nearest to that. surest: the solution that holds most surely with its tolerances. best-fit: the least misfit. best-value: the best of an output to minimize or maximize. knee: the best compromise of a front. nearest: no run meets everything, and this one comes nearest.',
      ),
    name: z.string().describe('The first run at the input in words, such as run 17 or case 3.'),
    objectiveId: z
      .int()
      .nullable()
      .describe('The inverse of that run, which may be one of another objective of the trial; null for a case.'),
    runs: z
      .int()
      .nullable()
      .describe('The number of runs whose mean the output is; null for an input that an earlier release declared.'),
    ...runFields,
  })
  .meta({ id: 'SearchAnswer' });

type Asked = Pick<Objective, 'id' | 'labels'>;

export function presentBestRun(answer: Answer, { id, labels }: Asked): z.infer<typeof bestRunSchema> {
  const { source, input, output, misses, missedBy } = answer;
  return {
    caseNumber: source.kind === 'case' ? source.number + 1 : null,
    inverseId: source.kind === 'inverse' ? source.id : null,
    iteration: ownIterationOf(answer, id),
    input: [...input],
    ...presentInputByName(labels, input),
    output: [...output],
    ...presentOutputByName(labels, output),
    misses: [...misses],
    missedBy: [...missedBy],
    worstMiss: Math.max(...misses),
  };
}

export function presentAnswer(answer: Answer, objective: Asked): z.infer<typeof answerSchema> {
  const { kind, source, runs } = answer;
  const isOther = source.kind === 'inverse' && source.objectiveId !== objective.id;
  return {
    kind,
    name: `${nameOfRun(source)}${isOther ? ` of objective ${source.objectiveNumber}` : ''}`,
    objectiveId: source.kind === 'inverse' ? source.objectiveId : null,
    runs,
    ...presentBestRun(answer, objective),
  };
}
