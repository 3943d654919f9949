/** The problem of an objective as a draft: inputs, outputs, targets and options, without its runs. Needs no browser. */
import type { History, Project } from '../../../../clients/typescript/src/index.ts';
import { headOf } from '../../../presentation/columns.ts';
import { type Draft, newInput } from './draft.ts';
import { draftOf } from './targets.ts';

export interface Copied {
  readonly draft: Draft;
  /** Properties that the form cannot state and the copy therefore lacks. */
  readonly missing: readonly string[];
}

type Described = Pick<
  Project,
  | 'name'
  | 'modelId'
  | 'minimums'
  | 'maximums'
  | 'inputTypes'
  | 'categories'
  | 'scales'
  | 'steps'
  | 'levels'
  | 'likelyMinimums'
  | 'likelyMaximums'
  | 'constraints'
>;

/** @param id  a unique id of the draft */
export function copied(id: string, history: History, project: Described): Copied {
  const head = headOf(history);
  const draft = draftOf(head);
  const conditions = [...(project.constraints ?? []), ...(head.constraints ?? [])];
  return {
    draft: {
      ...draft,
      id,
      name: `${project.name} (copy)`,
      modelId: project.modelId,
      inputs: draft.inputs.map((input, i) =>
        newInput(input.key, {
          ...input,
          type: project.inputTypes[i]!,
          ...boundsOf(project, i),
          scale: scaleOf(project, i),
          spacing: project.steps?.[i] == null ? '' : String(project.steps[i]),
        }),
      ),
      constraints: conditions.filter((one) => typeof one === 'string').join('\n'),
    },
    missing: missingOf(head, project, conditions),
  };
}

function boundsOf({ inputTypes, minimums, maximums, categories }: Described, i: number) {
  if (inputTypes[i] === 'category') return { categories: categories[i]!.join('; ') };
  return inputTypes[i] === 'boolean' ? {} : { minimum: String(minimums[i]), maximum: String(maximums[i]) };
}

/** Linear, where a wide range alone would make it logarithmic. */
function scaleOf({ scales, inputTypes }: Described, i: number): 'log' | 'linear' | 'auto' {
  if (inputTypes[i] === 'boolean' || inputTypes[i] === 'category') return 'auto';
  return scales?.[i] === 'log' ? 'log' : 'linear';
}

function missingOf(
  { fixedInputs, fits }: Pick<History, 'fixedInputs' | 'fits'>,
  { levels, likelyMinimums, likelyMaximums }: Described,
  conditions: readonly unknown[],
): readonly string[] {
  const has = (list: readonly unknown[] | null | undefined) => list?.some((entry) => entry !== null) ?? false;
  return [
    ...(has(fixedInputs) ? ['fixed inputs'] : []),
    ...(has(levels) ? ['inputs with stated values'] : []),
    ...(has(likelyMinimums) || has(likelyMaximums) ? ['likely ranges'] : []),
    ...(conditions.some((one) => typeof one !== 'string') ? ['conditions stated by coefficients'] : []),
    ...((fits?.length ?? 0) > 1 ? ['the division of the data into sets'] : []),
  ];
}
