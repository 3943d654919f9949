/** Takes the outputs of a run, or that it failed. Repeats change nothing; what was reported before is changed only as a correction. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type {
  Backsolve,
  Evaluation,
  NewInverseCorrection,
  ReportedEvaluation,
} from '../../../clients/typescript/src/index.ts';
import { BacksolveError } from '../../../clients/typescript/src/index.ts';
import { saidBy } from '../../../clients/typescript/src/solve/refusal.ts';
import { describeMissed, shownByName } from './numbers.ts';
import { nameOf, readTicket, runTicket } from './run-ticket.ts';
import { defineTool, fields, type Said, ToolError } from './tool.ts';

const schema = fields({
  ticket: runTicket,
  outputs: z
    .record(z.string(), z.number())
    .optional()
    .describe('A finite number per output, by its name. Where a run gives NaN or nothing, report it as failed.'),
  failed: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Instead of outputs: why the black box has no outputs at these inputs. The search then avoids them.'),
  tryAgain: z
    .literal(true)
    .optional()
    .describe('With failed: the machine failed, not the black box, so the same inputs shall be run once more.'),
  correction: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Only to replace what was reported before for this run: why that was wrong.'),
});

type Arguments = z.output<typeof schema>;

export const reportOutputs = defineTool({
  name: 'report_outputs',
  title: 'Report the outputs of a run',
  description:
    'Stores what a run gave, and says how near it came. The same report again changes nothing, so repeat it freely when you do not know whether it arrived. ' +
    'Other outputs for a run that has some already are refused, unless correction says why the first ones were wrong. Next: next_inputs.',
  schema,
  isReadOnly: false,
  run: async ({ client, args }) => {
    refuseContradictions(args);
    const evaluation = await findEvaluation(client, readTicket(args.ticket).id);
    if (args.correction !== undefined) return correct(client, evaluation, args);
    try {
      return args.outputs === undefined ? await fail(client, args) : await report(client, args);
    } catch (error) {
      if (error instanceof BacksolveError && error.status === 409) return explainConflict(client, args, error);
      throw error;
    }
  },
});

function refuseContradictions({ outputs, failed, tryAgain, correction }: Arguments): void {
  if ((outputs === undefined) === (failed === undefined))
    throw new ToolError('Nothing was stored: give either outputs, or failed with the reason.');
  if (tryAgain && (failed === undefined || correction !== undefined))
    throw new ToolError('Nothing was stored: tryAgain goes with failed, and without correction.');
}

async function findEvaluation(client: Backsolve, id: number): Promise<Evaluation> {
  try {
    return (await client.call('getEvaluation', { path: { evaluation_id: id } })).body;
  } catch (error) {
    if (!(error instanceof BacksolveError) || error.status !== 404) throw error;
    throw new ToolError(
      `There is no such run. Copy the ticket as next_inputs returned it; next_inputs returns it again.`,
    );
  }
}

async function report(client: Backsolve, { ticket, outputs }: Arguments): Promise<Said> {
  const { id, leaseToken } = readTicket(ticket);
  const body = { leaseToken, output: outputs! };
  const reporting = client.call('putEvaluationOutput', { path: { evaluation_id: id }, body });
  const reported = await saidBy('mcp', '/run', {}, reporting);
  return describeReport(await findEvaluation(client, id), reported.body);
}

async function fail(client: Backsolve, { ticket, failed, tryAgain }: Arguments): Promise<Said> {
  const { id, leaseToken } = readTicket(ticket);
  const body = { leaseToken, reason: failed!, retryable: tryAgain === true };
  const { state } = (await client.call('failEvaluation', { path: { evaluation_id: id }, body })).body;
  const evaluation = await findEvaluation(client, id);
  const what =
    state === 'waiting'
      ? 'will be handed out again by next_inputs'
      : 'is stored as failed; the search avoids such inputs';
  const text = `${titleOf(evaluation)} ${what}.\n${nextFor(evaluation)}`;
  return { text, data: { problem: evaluation.batchId, state } };
}

function describeReport(evaluation: Evaluation, { state, inverse, warnings }: ReportedEvaluation): Said {
  const missed =
    inverse?.outputByName == null || inverse.missedBy === null ? null : zip(inverse.outputByName, inverse.missedBy);
  const isMet = inverse?.status === 'converged';
  const verdict = isMet ? ' It meets every target.' : describeMissed(missed);
  const stored = state === 'cancelled' ? 'is stored, though no longer needed' : 'is stored';
  const text = [
    `${titleOf(evaluation)} ${stored}.${verdict}`,
    ...warnings.map(({ detail }) => `Check it: ${detail}`),
    nextFor(evaluation),
  ];
  return {
    text: text.join('\n'),
    data: {
      problem: evaluation.batchId,
      state,
      isMet,
      missedBy: missed,
      warnings: warnings.map(({ detail }) => detail),
    },
  };
}

/** At the beginning of a sentence. */
function titleOf(evaluation: Evaluation): string {
  const name = nameOf(evaluation);
  return name[0]!.toUpperCase() + name.slice(1);
}

function nextFor({ batchId }: Evaluation): string {
  return `Next: next_inputs with problem ${batchId}.`;
}

function zip(named: Readonly<Record<string, unknown>>, values: readonly number[]): Record<string, number> {
  return Object.fromEntries(Object.keys(named).map((name, j) => [name, values[j]!]));
}

/** The stored result of the run; null while it has none. */
type Stored = { readonly outputs: Readonly<Record<string, number>> } | { readonly failed: string } | null;

async function readStored(client: Backsolve, evaluation: Evaluation): Promise<Stored> {
  const { state, objectiveId, inverseId, failureReason } = evaluation;
  if (state === 'failed') return { failed: failureReason ?? 'without a reason' };
  if (objectiveId === null || inverseId === null)
    return evaluation.output && { outputs: await nameOutputs(client, evaluation, evaluation.output) };
  const { body } = await client.call('getInverse', { path: { objective_id: objectiveId, inverse_id: inverseId } });
  if (body.status === 'failed') return { failed: body.failureReason ?? 'without a reason' };
  return body.output && { outputs: body.outputByName ?? (await nameOutputs(client, evaluation, body.output)) };
}

async function nameOutputs(client: Backsolve, { modelId, projectId }: Evaluation, output: readonly number[]) {
  const { body } = await client.call('getProject', { path: { model_id: modelId, project_id: projectId } });
  return Object.fromEntries(output.map((value, j) => [body.outputNames?.[j] ?? `y${j + 1}`, value]));
}

/** The same values under another lease are no conflict. */
async function explainConflict(client: Backsolve, args: Arguments, error: BacksolveError): Promise<Said> {
  const evaluation = await findEvaluation(client, readTicket(args.ticket).id);
  const stored = await readStored(client, evaluation);
  const { batchId, evaluator } = evaluation;
  if (stored === null) {
    const who = evaluator === null ? 'another agent' : evaluator;
    throw new ToolError(
      `Nothing was stored. ${error.detail} It is with ${who} now. Drop this ticket and call next_inputs with problem ${batchId}; if ${who} is you, it returns the run again.`,
    );
  }
  const given = args.outputs === undefined ? { failed: args.failed } : { outputs: args.outputs };
  if (isDeepStrictEqual(sorted(stored), sorted(given))) {
    const text = `${titleOf(evaluation)} was stored before, with the same result; nothing was changed.\n${nextFor(evaluation)}`;
    return { text, data: { problem: batchId, state: evaluation.state, isRepeat: true } };
  }
  throw new ToolError(
    `Nothing was changed: ${nameOf(evaluation)} is stored already, with ${describeStored(stored)}. If that is right, go on with next_inputs for problem ${batchId}. If it is wrong, call report_outputs again with the same ticket, the right outputs, and correction with the reason.`,
  );
}

function sorted(result: object): unknown {
  if (!('outputs' in result)) return 'failed';
  return Object.entries(result.outputs as object).sort(([a], [b]) => (a < b ? -1 : 1));
}

function describeStored(stored: NonNullable<Stored>): string {
  return 'outputs' in stored ? shownByName(stored.outputs) : `a failure (${stored.failed})`;
}

async function correct(client: Backsolve, evaluation: Evaluation, args: Arguments): Promise<Said> {
  const result =
    args.outputs === undefined ? ({ failed: true, failureReason: args.failed! } as const) : { output: args.outputs };
  const body = { ...result, reason: args.correction!, reopen: true };
  const isCorrected = await sendCorrection(client, evaluation, body);
  const what = isCorrected
    ? 'is corrected; the search goes on from the corrected result'
    : 'had this result already; nothing was changed';
  return {
    text: `${titleOf(evaluation)} ${what}.\n${nextFor(evaluation)}`,
    data: { problem: evaluation.batchId, isCorrected },
  };
}

/** Whether it changed something. */
async function sendCorrection(client: Backsolve, evaluation: Evaluation, body: NewInverseCorrection): Promise<boolean> {
  const { modelId, projectId, trialId, objectiveId, inverseId, caseNumber } = evaluation;
  if (inverseId !== null && objectiveId !== null) {
    const path = { objective_id: objectiveId, inverse_id: inverseId };
    const correcting = client.call('correctInverse', { path, body });
    return (await saidBy('mcp', '/run', {}, correcting)).body.correction !== null;
  }
  if (trialId === null || caseNumber === null)
    throw new ToolError(
      'Nothing was changed: a case can be corrected once all designed cases are reported. Report the others first.',
    );
  const path = { model_id: modelId, project_id: projectId, trial_id: trialId, number: caseNumber };
  return (await saidBy('mcp', '/run', {}, client.call('correctCase', { path, body }))).body.correction !== null;
}
