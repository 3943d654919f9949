import type { Run } from '../history.ts';

export function Diagnosis(_: { readonly run: Run }) {
  return <h2>Diagnosis</h2>;
}
