/**
 * Explains what the runs of a problem tell: whether the targets can be met, which inputs matter, and how well the inputs are determined.
 */
import { z } from 'zod';
import type { Backsolve, ExplainedObjective } from '../../../clients/typescript/src/index.ts';
import { shown, shownByName } from './numbers.ts';
import { anyProblem, byName, findProblem, inputNamesOf, outputNamesOf } from './problems.ts';
import { defineTool, fields, type Said, ToolError } from './tool.ts';

const TOPICS = ['diagnosis', 'insight', 'identifiability'] as const;

export const explainProblem = defineTool({
  name: 'explain_problem',
  title: 'Explain what the runs tell',
  description:
    'diagnosis: evidence that the targets cannot all be met, what each costs, and the least relaxation. insight: how well each output is predicted and which inputs matter for it. ' +
    'identifiability: within which ranges the inputs meet the targets, and which inputs the outputs do not tell apart; it takes some seconds.',
  schema: fields({ problem: anyProblem, topic: z.enum(TOPICS) }),
  isReadOnly: true,
  run: async ({ client, args: { problem, topic } }) => {
    const { objective } = await findProblem(client, problem);
    if (objective === null)
      throw new ToolError(
        `Problem ${problem} has no search yet: its designed cases come first. Run them with next_inputs.`,
      );
    return EXPLAIN[topic](objective, client);
  },
});

type Explain = (objective: ExplainedObjective, client: Backsolve) => Said | Promise<Said>;

const EXPLAIN: Readonly<Record<(typeof TOPICS)[number], Explain>> = {
  diagnosis: (objective) => {
    const { diagnosis } = objective;
    if (diagnosis === null)
      return {
        text: 'Nothing says that the targets are out of reach. That is not a promise: it may be too early to tell.',
        data: { diagnosis },
      };
    const names = outputNamesOf(objective);
    const unmet = diagnosis.unmet.map(({ number, ...rest }) => ({ output: names[number], ...rest }));
    const relaxed = diagnosis.relaxed && { targets: byName(names, diagnosis.relaxed.objectives) };
    return {
      text: diagnosis.detail,
      data: { unmet, relaxed, nearestInputs: byName(inputNamesOf(objective), diagnosis.nearestInput) },
    };
  },
  insight: (objective) => {
    const { insight } = objective;
    if (insight === null)
      return { text: 'There is no insight before the first suggestion. Make more runs first.', data: { insight } };
    const names = outputNamesOf(objective);
    const outputs = insight.outputs.map((one) => ({
      output: names[one.number]!,
      varianceExplained: one.crossValidated.r2,
      sensitivity: one.sensitivity && byName(inputNamesOf(objective), one.sensitivity),
    }));
    return { text: outputs.map(describeInsight).join('\n'), data: { runs: insight.caseCount, outputs } };
  },
  identifiability: async (objective, client) => {
    const { body } = await client.call('getIdentifiability', { path: { objective_id: objective.id } });
    const { identifiability, confidence } = body;
    if (identifiability === null)
      return {
        text: 'The models know no inputs that surely meet the targets yet. Make more runs first.',
        data: { identifiability },
      };
    const ranges = byName(inputNamesOf(objective), identifiability.ranges);
    return { text: identifiability.sentences.join('\n'), data: { confidence, ranges, next: identifiability.next } };
  },
};

interface OutputInsight {
  readonly output: string;
  readonly varianceExplained: number | null;
  readonly sensitivity: Readonly<Record<string, number>> | null;
}

function describeInsight({ output, varianceExplained, sensitivity }: OutputInsight): string {
  const trust =
    varianceExplained === null
      ? 'too few runs to judge its model'
      : `its model explains ${shown(varianceExplained)} of the variance of runs left out`;
  if (sensitivity === null) return `${output}: ${trust}; the runs do not tell which inputs matter.`;
  const ranked = Object.fromEntries(Object.entries(sensitivity).sort(([, a], [, b]) => b - a));
  return `${output}: ${trust}; shares of the inputs: ${shownByName(ranked)}.`;
}
