/** What the optimizer has learned about an objective: how far its model can be trusted, and what cannot be met. */

export interface OutputInsight {
  /** Quality of the model of this output on cases left out, in output units; null with too few cases. */
  readonly crossValidated: { readonly r2: number | null; readonly rmse: number | null };
  /**
   * Per input the share of the output's variance that involves it; interactions count for each input that takes part. null
   * where the cases do not tell.
   */
  readonly sensitivity: readonly number[] | null;
  /** Where each share may lie; null likewise. */
  readonly sensitivityRanges: readonly { readonly low: number; readonly high: number }[] | null;
}

export interface Diagnosis {
  readonly nearestInput: readonly number[];
  readonly nearestOutput: readonly number[];
  readonly nearestIs: 'evaluated' | 'predicted';
  /** `output` is the zero-based number of the objective; distances in output units. */
  readonly unmet: readonly { readonly output: number; readonly distance: number; readonly relaxBy: number }[];
  /** Pairs of objectives that can be met one by one but not together. */
  readonly conflicts: readonly (readonly [number, number])[];
}

export interface Explanation {
  readonly insight: readonly OutputInsight[] | null;
  /** null while nothing speaks against reaching all objectives. */
  readonly diagnosis: Diagnosis | null;
}

export interface StoredExplanation extends Explanation {
  /** Number of evaluated cases it rests on. */
  readonly caseCount: number;
}

/** A diagnosis in one sentence. */
export function describeDiagnosis(diagnosis: Diagnosis): string {
  const unmet = diagnosis.unmet.map(({ output, relaxBy }) => `objective ${output} by ${relaxBy}`).join(', ');
  const conflicts = diagnosis.conflicts.map(([a, b]) => `${a} and ${b}`).join(', ');
  const conflict = conflicts === '' ? '' : ` Each alone can be met, but not together: ${conflicts}.`;
  const source = diagnosis.nearestIs === 'evaluated' ? 'evaluated so far' : 'predicted';
  return `The objectives seem out of reach together; at the nearest point ${source} bounds would have to be relaxed: ${unmet}.${conflict}`;
}
