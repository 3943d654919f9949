import type { Run } from '../history.ts';

/** Controls at the end of a row of the table of runs. */
export function RowActions(_: { readonly run: Run; readonly iteration: number }) {
  return null;
}
