import { explain } from '../shell/service.ts';

/** An error below its control; nothing without an error. */
export function Fault({ id, error }: { readonly id?: string; readonly error: unknown }) {
  if (error === undefined) return null;
  return (
    <p id={id} class="fault" role="alert">
      {explain(error)}
    </p>
  );
}
