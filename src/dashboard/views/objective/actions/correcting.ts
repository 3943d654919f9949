import { signal } from '@preact/signals';
import type { CorrectionKind } from './correction.ts';

/** The run whose correction is open: rows of a table come and go below the dialog. */
export const correcting = signal<{ readonly iteration: number; readonly kind: CorrectionKind } | undefined>(undefined);
