import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { BacksolveError, type ReportedInverse } from '../../../../../clients/typescript/src/index.ts';
import type { Head } from '../../../../presentation/columns.ts';
import { wanted } from '../../../../presentation/formats.ts';
import { outputNames } from '../../../../presentation/values.ts';
import { Fault } from '../../../parts/fault.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import { onDemand } from '../../../parts/on-demand.tsx';
import { readValues, splitPaste } from '../../../parts/paste.ts';
import { faultsByPointer, withoutShown } from '../../../parts/violations.ts';
import { service } from '../../../shell/service.ts';
import { outputAt, readOutputs } from '../corrections/read-outputs.ts';
import type { Run } from '../state/history.ts';
import { FailedRunDialog } from './failed-run-dialog.tsx';
import type { TypedOutputs } from './typed.ts';

const PasteBox = onDemand(async () => (await import('./paste-box.tsx')).PasteBox);

/** More outputs are pasted rather than typed. */
const MAXIMUM_SHOWN_FIELDS = 40;

interface OutputFormProps {
  readonly run: Run;
  readonly typed: TypedOutputs;
  readonly inverseId: number;
  readonly iteration: number;
  /** The run was given up: only an output is accepted, no failure. */
  readonly isLate?: boolean;
  readonly isPrimary?: boolean;
  onReported(inverse: ReportedInverse): void;
}

/** Beside the field, since the targets may be out of sight. */
function wantedText({ intervals, l1Threshold }: Head, j: number): string | undefined {
  const { lower, upper } = intervals[j]!;
  return l1Threshold !== null || (lower === null && upper === null) ? undefined : `wanted ${wanted(intervals[j]!)}`;
}

/** The outputs of one open run. Typed values are kept until the service has them. */
export function OutputForm({
  run,
  typed,
  inverseId,
  iteration,
  isLate = false,
  isPrimary = false,
  onReported,
}: OutputFormProps) {
  const head = run.head.value;
  const names = outputNames(head);
  const texts = typed.of(inverseId);
  const [faults, setFaults] = useState<ReadonlyMap<number, string>>(new Map());
  const [pasted, setPasted] = useState<string | undefined>(undefined);
  const [showsAll, setShowsAll] = useState(names.length <= MAXIMUM_SHOWN_FIELDS);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const [hasFailed, setHasFailed] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  const asksForFocus = useRef(false);

  useEffect(() => {
    if (!asksForFocus.current) return;
    asksForFocus.current = false;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [faults]);

  const change = (next: readonly string[]) => typed.set(inverseId, next);
  const showFaults = (next: ReadonlyMap<number, string>) => {
    if (next.size > 0) setShowsAll(true);
    asksForFocus.current = next.size > 0;
    setFaults(next);
  };
  const report = async (
    body: { readonly output: readonly number[] } | { readonly failed: true; reason: string | null },
  ) => {
    setBusy(true);
    setError(undefined);
    try {
      const path = { objective_id: run.objectiveId, inverse_id: inverseId };
      const answer = await service.call('putInverseOutputFlat', { path, body });
      typed.remove(inverseId);
      onReported(answer.body);
    } catch (failure) {
      setError(failure);
      const atFields = new Map<number, string>();
      for (const [pointer, message] of faultsByPointer(failure)) {
        const j = outputAt(pointer);
        if (j !== undefined) atFields.set(j, message);
      }
      showFaults(atFields);
      // Another person or program may have been faster.
      if (failure instanceof BacksolveError && failure.status === 409) run.refresh();
      throw failure;
    } finally {
      setBusy(false);
    }
  };
  const load = (event: Event) => {
    event.preventDefault();
    const read = readOutputs(texts);
    showFaults(read.faults ?? new Map());
    if (read.output !== undefined) report({ output: read.output }).catch(() => undefined);
  };
  const action = names.length === 1 ? 'Load the output' : 'Load the outputs';
  return (
    <>
      <form ref={form} class="hand-form" aria-label={`Outputs of run ${iteration}`} noValidate onSubmit={load}>
        <p>{isLate ? 'If the run finished after all, load its outputs:' : 'Run it, then type or paste its outputs:'}</p>
        {showsAll ? (
          <div class="field-grid">
            {names.map((name, j) => (
              <NumberField
                key={name}
                id={`${id}-${j}`}
                name={name}
                unit={head.outputUnits?.[j]}
                text={texts[j]!}
                fault={faults.get(j)}
                hint={wantedText(head, j)}
                onText={(text) => {
                  change(texts.with(j, text));
                  if (faults.has(j)) setFaults(new Map([...faults].filter(([other]) => other !== j)));
                }}
                onPasteText={(text) => {
                  const isOne = splitPaste(text).flat().length <= 1 && readValues(text, names).fault !== undefined;
                  if (!isOne && names.length > 1) setPasted(text);
                  return !isOne && names.length > 1;
                }}
              />
            ))}
          </div>
        ) : (
          <p>
            {texts.filter((text) => text.trim() !== '').length} of {names.length} outputs are filled in.{' '}
            <button type="button" onClick={() => setShowsAll(true)}>
              Show all fields
            </button>
          </p>
        )}
        {pasted !== undefined && (
          <PasteBox
            names={names}
            units={head.outputUnits}
            initial={pasted}
            onTake={(next) => {
              change(next);
              setPasted(undefined);
              showFaults(readOutputs(next).faults ?? new Map());
              form.current?.querySelector<HTMLElement>('[type="submit"]')?.focus();
            }}
            onCancel={() => {
              setPasted(undefined);
              form.current?.querySelector<HTMLElement>('input')?.focus();
            }}
          />
        )}
        <Fault error={hasFailed ? undefined : withoutShown(error, (pointer) => outputAt(pointer) !== undefined)} />
        <p class="hand-buttons">
          <button type="submit" class={isPrimary ? 'primary' : undefined} disabled={isBusy}>
            {isBusy ? 'Loading…' : action}
          </button>
          {names.length > 1 && pasted === undefined && (
            <button type="button" onClick={() => setPasted('')}>
              Paste…
            </button>
          )}
          {!isLate && (
            <button type="button" disabled={isBusy} onClick={() => setHasFailed(true)}>
              The run failed…
            </button>
          )}
        </p>
      </form>
      {hasFailed && (
        // Has a form of its own, and forms do not nest.
        <FailedRunDialog
          iteration={iteration}
          onReport={(reason) => report({ failed: true, reason })}
          onClose={() => setHasFailed(false)}
        />
      )}
    </>
  );
}
