import { type Signal, useSignalEffect } from '@preact/signals';
import { useId, useRef, useState } from 'preact/hooks';
import { explain } from '../../../shell/service.ts';
import type { Run } from '../state/history.ts';

interface GoToProps {
  readonly run: Run;
  /** Moves the focus here. */
  readonly seeksRun: Signal<boolean>;
  onFound(row: number): boolean;
}

/** Goes to a run by its number, even one that a thinned history left out. */
export function GoTo({ run, seeksRun, onFound }: GoToProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState('');
  useSignalEffect(() => {
    if (!seeksRun.value) return;
    seeksRun.value = false;
    field.current?.focus();
  });
  const go = async (iteration: number) => {
    try {
      const row = await run.find(iteration);
      if (row < 0) setFault(`There is no run ${iteration}.`);
      else setFault(onFound(row) ? '' : `Run ${iteration} is not among the selected runs.`);
    } catch (error) {
      setFault(explain(error));
    }
  };
  return (
    <form
      class="field-row"
      onSubmit={(event) => {
        event.preventDefault();
        const field = event.currentTarget.elements.namedItem('iteration') as HTMLInputElement;
        if (field.value !== '') void go(field.valueAsNumber);
      }}
    >
      <label for={id}>Go to run</label>
      <input ref={field} id={id} name="iteration" type="number" min={1} step={1} class="short-field" />
      <button type="submit">Go</button>
      <span class="unmet" role="status">
        {fault}
      </span>
    </form>
  );
}
