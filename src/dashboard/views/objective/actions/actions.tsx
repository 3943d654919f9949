import type { Run } from '../history.ts';

export function Actions(_: { readonly run: Run }) {
  return <h2>Actions</h2>;
}
