/**
 * Runs at the ends of the intervals of a fit, so that these rest on the black box and not on its models alone. Each is in the journal
 * before the service hears of it, and every later call tells it again, because the service knows a case that it has.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Reportable } from '../evaluator/evaluation-calls.ts';
import { listed, slopesOf } from './plan.ts';
import type { Session } from './session.ts';

export interface VerifyOptions {
  readonly session: Session;
  /** Runs the black box and keeps what came of it; undefined when it was ended early. */
  readonly evaluate: (input: readonly number[]) => Promise<Reportable | undefined>;
  readonly signal?: AbortSignal | undefined;
}

/** Makes as many runs as the plan allows, as long as the models are unsure of an interval. Throws what `evaluate` throws, and BacksolveError. */
export async function verifyFits({ session, evaluate, signal }: VerifyOptions): Promise<void> {
  const { client, batch, plan } = session;
  if (plan.verify === 0 || batch === undefined) return;
  const path = { batch_id: batch.id };
  for await (const { objectiveId, stopReason } of client.pages('listBatchObjectives', { path })) {
    if (objectiveId === null || stopReason !== 'SATISFIED') continue;
    await addCases(session, madeIn(session));
    while (madeIn(session).length < plan.verify && signal?.aborted !== true) {
      const input = await nextOf(session, objectiveId);
      if (input === null || madeIn(session).some((run) => isDeepStrictEqual(run.input, input))) break;
      const outcome = await evaluate(input);
      if (outcome === undefined) break;
      await addCases(session, [{ input, outcome }]);
    }
  }
}

interface Made {
  readonly input: readonly number[];
  readonly outcome: Reportable;
}

function madeIn({ runs }: Session): readonly Made[] {
  return runs.filter(({ kind }) => kind === 'verify');
}

/** The input that tells most; null when none is worth a run, and without a fit. */
async function nextOf({ client }: Session, objectiveId: number): Promise<readonly number[] | null> {
  const { fit } = (await client.call('getFit', { path: { objective_id: objectiveId } })).body;
  return fit?.verify.find(({ isUnsure }) => isUnsure)?.at ?? null;
}

/** Cases that the service has already change nothing. */
async function addCases({ client, batch, plan }: Session, made: readonly Made[]): Promise<void> {
  if (made.length === 0) return;
  const { modelId, projectId, trialId } = batch!;
  const jacobians = made.map(({ outcome }) => slopesOf(outcome));
  await client.call('addCases', {
    path: { model_id: modelId, project_id: projectId, trial_id: trialId! },
    body: {
      inputs: made.map(({ input }) => input),
      outputs: made.map(({ outcome }) => listed(outcome, plan.project.outputNames)),
      ...(jacobians.some((one) => one !== null) && { jacobians }),
      source: 'verify',
    },
  });
}
