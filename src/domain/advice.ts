/** What the runs of an objective show that a person can act on, in words. A further kind is a row of the table. */
import type { Advice, AdviceKind } from '../optimizer/insights.ts';
import { type Labels, outputNamesOf } from './names.ts';
import type { ObjectiveDefinition } from './objective.ts';

type Subject = Pick<ObjectiveDefinition, 'objectives'> & { readonly labels: Labels | null };

/** @param names  of the outputs that it is about */
type Sentence = (advice: Advice, names: readonly string[]) => string;

const SENTENCES: Readonly<Record<AdviceKind, Sentence>> = {
  'sum-of-squares': (_, [name]) =>
    `If ${name} is a sum of squares, such as a misfit, return its parts as outputs and set a goal for each: such searches need a tenth of the runs.`,
};

export const ADVICE_KINDS = Object.keys(SENTENCES) as readonly AdviceKind[];

export function describeAdvice(advice: Advice, { objectives, labels }: Subject): string {
  const names = outputNamesOf(objectives.length, labels?.outputNames ?? null);
  return SENTENCES[advice.kind](
    advice,
    advice.outputs.map((output) => names[output]!),
  );
}
