/** Opens and closes the correction of a run. */
import { signal } from '@preact/signals';
import { type NewInverseCorrection, StopReason } from '../../../../../clients/typescript/src/index.ts';
import { factAt, rowOf, vectorAt } from '../../../../presentation/columns.ts';
import type { RunSource } from '../../../../presentation/others.ts';
import { service } from '../../../shell/service.ts';
import type { Run } from '../state/history.ts';
import type { CorrectionKind } from './correction.ts';

/** A run with its stored result, and the request that corrects it. */
export interface CorrectionTarget {
  /** For example "run 4" or "case 3". */
  readonly name: string;
  readonly output: readonly number[] | undefined;
  /** Reason for the failure; empty if unknown. */
  readonly failure: string;
  readonly isExcluded: boolean;
  readonly isCase: boolean;
  /** Number of the case or the run. */
  readonly number: number;
  /** Whether its objective is known to have ended. */
  readonly hasEnded: boolean;
  send(body: NewInverseCorrection): Promise<unknown>;
}

interface Correcting {
  readonly target: CorrectionTarget;
  readonly kind: CorrectionKind;
  /** The outputs to begin with; default: the stored ones. */
  readonly texts?: readonly string[];
  /** Called after the correction. */
  afterwards?(): void;
}

/** The run in the open dialog. It is kept here because the table rows below the dialog come and go. */
export const correcting = signal<Correcting | undefined>(undefined);

/** A run of the objective itself; it must be among the columns. */
export function ownTarget(run: Run, iteration: number): CorrectionTarget {
  return targetAt(run, rowOf(run.columns.value, iteration), undefined);
}

/**
 * The run in a row of the columns.
 *
 * @param source  origin of a case of the trial or of another objective's run; undefined: a run of this objective
 */
export function targetAt(run: Run, row: number, source: RunSource | undefined): CorrectionTarget {
  const columns = run.columns.value;
  const head = run.head.value;
  const number = columns.iterations[row]!;
  const isCase = source?.objectiveId === null;
  const trial = { model_id: head.modelId, project_id: head.projectId, trial_id: head.trialId };
  const inverse = { objective_id: source?.objectiveId ?? run.objectiveId, inverse_id: columns.inverseIds[row]! };
  return {
    name: source?.name ?? `run ${number}`,
    output: vectorAt(columns.outputs, row),
    failure: factAt(columns, 'failureReasons', row) ?? '',
    isExcluded: columns.excluded[row] === 1,
    isCase,
    number,
    hasEnded: source === undefined && head.stopReason !== StopReason.RUNNING,
    send: (body) =>
      isCase
        ? service.call('correctCase', { path: { ...trial, number }, body })
        : service.call('correctInverse', { path: inverse, body }),
  };
}
