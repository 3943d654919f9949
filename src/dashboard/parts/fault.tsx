import { explain } from '../shell/service.ts';

/** What went wrong, below the control that it is about; nothing if nothing did. */
export function Fault({ id, error }: { readonly id?: string; readonly error: unknown }) {
  if (error === undefined) return null;
  return (
    <p id={id} class="fault" role="alert">
      {explain(error)}
    </p>
  );
}
