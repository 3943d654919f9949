import type { Run } from '../history.ts';

export function Insight(_: { readonly run: Run }) {
  return <h2>Insight</h2>;
}
