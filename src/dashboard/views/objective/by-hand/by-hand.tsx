import type { Run } from '../history.ts';

export function ByHand(_: { readonly run: Run }) {
  return <h2>Next input</h2>;
}
