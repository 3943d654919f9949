/** Sorts the data that a suggestion is computed from by source. */
import type { Matrix } from '../../domain/matrix.ts';
import type { Source } from '../../domain/problem/sources.ts';
import { decodeMatrix } from '../matrices.ts';
import type { CoarseCases, KnownRuns } from './known-runs.ts';

/** The runs of a cheaper source and its open inputs, one row each. */
export interface CoarseRuns extends Source {
  readonly inputs: Matrix;
  readonly outputs: Matrix;
  /** As `Snapshot.jacobians`. */
  readonly jacobians: Matrix | null;
  readonly pending: Matrix;
  /** Known before the search; null for none. */
  readonly cases: CoarseCases | null;
}

/** The open inverses of an objective, and the sources of its project. */
export interface PendingColumns {
  readonly pendingIterations: readonly number[] | null;
  readonly pendingInputs: Buffer | null;
  readonly pendingSources: readonly (string | null)[] | null;
  readonly projectSources: unknown;
}

interface RowsBySource extends Omit<KnownRuns, 'objectiveIds' | 'sources'> {
  /** Pending inverses of the fine source, as everything above. */
  readonly pendingIterations: readonly number[];
  readonly pending: Matrix;
  /** Open inverses of all sources. */
  readonly openIterations: readonly number[];
  readonly coarse: readonly CoarseRuns[];
}

/** The own runs and the open inverses, by source. */
export function bySource(
  { pendingIterations, pendingInputs, pendingSources, projectSources }: PendingColumns,
  { iterations, completedOrders, inputs, outputs, jacobians, sources }: Omit<KnownRuns, 'objectiveIds'>,
  coarseCases: readonly CoarseCases[],
): RowsBySource {
  const pending = decodeMatrix(pendingInputs);
  const openIterations = pendingIterations ?? [];
  const open = { pending, pendingIterations: openIterations, openIterations };
  const named = projectSources as readonly Source[] | null;
  if (named === null) return { iterations, completedOrders, inputs, outputs, jacobians, ...open, coarse: [] };
  const rowsOf = (name: string | null) => sources.flatMap((source, row) => (source === name ? [row] : []));
  const openOf = (name: string | null) => (pendingSources ?? []).flatMap((source, k) => (source === name ? [k] : []));
  const [fine, openFine] = [rowsOf(null), openOf(null)];
  return {
    iterations: fine.map((row) => iterations[row]!),
    completedOrders: fine.map((row) => completedOrders[row]!),
    inputs: inputs.pick(fine),
    outputs: outputs.pick(fine),
    jacobians: jacobians?.pick(fine) ?? null,
    openIterations,
    pendingIterations: openFine.map((k) => openIterations[k]!),
    pending: pending.pick(openFine),
    coarse: named.map((source) => ({
      ...source,
      inputs: inputs.pick(rowsOf(source.name)),
      outputs: outputs.pick(rowsOf(source.name)),
      jacobians: jacobians?.pick(rowsOf(source.name)) ?? null,
      cases: coarseCases.find((one) => one.source === source.name) ?? null,
      pending: pending.pick(openOf(source.name)),
    })),
  };
}
