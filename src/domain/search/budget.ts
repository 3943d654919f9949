/** Limits of an objective: its attempts and its stop rule, and the effect of changing them once it has ended. */
import { makeViolation, refuseViolations } from '../errors.ts';
import { refTerm } from '../messages.ts';
import { isResumable } from './ending.ts';
import type { Objective } from './objective.ts';
import type { SearchOptions } from './search-options.ts';
import { isOver, type SentStop, stopOptionsOf } from './stop-options.ts';
import { isFinal, StopReason } from './stop-reason.ts';

/** As a client sends it; what is left out stays. */
export interface BudgetPatch {
  readonly maximumAttempts?: number | undefined;
  readonly stop?: SentStop | undefined;
}

export interface Budget {
  readonly maximumAttempts: number;
  readonly options: SearchOptions | null;
  /** Whether it had ended, and runs on. */
  readonly isReopened: boolean;
}

type Limited = Pick<Objective, 'attemptCount' | 'maximumAttempts' | 'options' | 'stopReason' | 'ended'>;

/**
 * The budget after a change; null where nothing of it was sent. More attempts alone switch off the rule that ended a search by evidence:
 * on the same runs it would end it again. Throws VALIDATION_FAILED for a change that leaves no attempt.
 */
export function budgetAfter(objective: Limited, patch: BudgetPatch): Budget | null {
  if (patch.maximumAttempts === undefined && patch.stop === undefined) return null;
  const { maximumAttempts = objective.maximumAttempts } = patch;
  const { attemptCount } = objective;
  const isReopened = isFinal(objective.stopReason) && isResumable(objective);
  if (maximumAttempts < attemptCount || (isReopened && maximumAttempts === attemptCount)) {
    const least = isReopened ? attemptCount + 1 : attemptCount;
    const message = `must be at least ${least}, is ${maximumAttempts}: ${attemptCount} inputs have been suggested already.`;
    refuseViolations([makeViolation(['maximumAttempts'], message)]);
  }
  const overruled = isReopened && objective.stopReason !== StopReason.exhausted && patch.stop === undefined;
  const options = overruled || patch.stop !== undefined ? withStop(objective.options, patch.stop) : objective.options;
  if (isReopened && isOver(options?.stop, new Date())) {
    const message = `must be in the future, or left out: the ${refTerm('search', 'objective')} would end again immediately.`;
    refuseViolations([makeViolation(['stop', 'until'], message)]);
  }
  return { maximumAttempts, options, isReopened };
}

/** The options with another stop rule; null where none is left. */
function withStop(options: SearchOptions | null, sent: SentStop | undefined): SearchOptions | null {
  const { stop: _, ...others } = options ?? {};
  const stop = stopOptionsOf(sent, { isFit: others.fits !== undefined });
  const made: SearchOptions = { ...others, ...(stop && { stop }) };
  return Object.keys(made).length === 0 ? null : made;
}
