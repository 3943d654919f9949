import { signal } from '@preact/signals';
import type { CorrectionKind } from './correction.ts';

/** The run whose correction is open: rows of a table come and go below the dialog. */
export const correcting = signal<Correcting | undefined>(undefined);

interface Correcting {
  readonly iteration: number;
  readonly kind: CorrectionKind;
  /** The outputs to begin with; those that are stored unless stated. */
  readonly texts?: readonly string[];
  /** After the correction. */
  afterwards?(): void;
}
