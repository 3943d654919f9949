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

type Result = { readonly output: readonly number[] } | { readonly failed: true; readonly reason: string | null };

/** Sends the result of a run. The promise of `report` rejects if the service refuses it; the error stays until the next try. */
function useReporting(
  { run, typed, inverseId, onReported }: OutputFormProps,
  showFaults: (faults: ReadonlyMap<number, string>) => void,
) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const report = async (body: Result) => {
    setBusy(true);
    setError(undefined);
    try {
      const path = { objective_id: run.objectiveId, inverse_id: inverseId };
      const answer = await service.call('putInverseOutput', { path, body });
      typed.remove(inverseId);
      onReported(answer.body);
    } catch (failure) {
      setError(failure);
      showFaults(faultsAtOutputs(failure));
      // Another person or program may have been faster.
      if (failure instanceof BacksolveError && failure.status === 409) run.refresh();
      throw failure;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, error, report };
}

function faultsAtOutputs(failure: unknown): ReadonlyMap<number, string> {
  const faults = new Map<number, string>();
  for (const [pointer, message] of faultsByPointer(failure)) {
    const j = outputAt(pointer);
    if (j !== undefined) faults.set(j, message);
  }
  return faults;
}

/** The outputs of one open run. Typed values are kept until the service has them. */
export function OutputForm(props: OutputFormProps) {
  const { run, typed, inverseId, iteration, isLate = false, isPrimary = false } = props;
  const head = run.head.value;
  const names = outputNames(head);
  const texts = typed.of(inverseId);
  const [faults, setFaults] = useState<ReadonlyMap<number, string>>(new Map());
  const [pasted, setPasted] = useState<string | undefined>(undefined);
  const [showsAll, setShowsAll] = useState(names.length <= MAXIMUM_SHOWN_FIELDS);
  const [hasFailed, setHasFailed] = useState(false);
  const form = useRef<HTMLFormElement>(null);
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
  const { isBusy, error, report } = useReporting(props, showFaults);
  const load = (event: Event) => {
    event.preventDefault();
    const read = readOutputs(texts);
    showFaults(read.faults ?? new Map());
    if (read.output !== undefined) report({ output: read.output }).catch(() => undefined);
  };
  return (
    <>
      <form ref={form} class="hand-form" aria-label={`Outputs of run ${iteration}`} noValidate onSubmit={load}>
        <p>{isLate ? 'If the run finished after all, load its outputs:' : 'Run it, then type or paste its outputs:'}</p>
        {showsAll ? (
          <OutputFields
            head={head}
            texts={texts}
            faults={faults}
            onText={(j, text) => {
              change(texts.with(j, text));
              if (faults.has(j)) setFaults(new Map([...faults].filter(([other]) => other !== j)));
            }}
            onPasted={setPasted}
          />
        ) : (
          <FoldedFields texts={texts} onShow={() => setShowsAll(true)} />
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
        <Buttons
          load={names.length === 1 ? 'Load the output' : 'Load the outputs'}
          isPrimary={isPrimary}
          isBusy={isBusy}
          onPaste={names.length > 1 && pasted === undefined ? () => setPasted('') : undefined}
          onFailure={isLate ? undefined : () => setHasFailed(true)}
        />
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

interface OutputFieldsProps {
  readonly head: Head;
  readonly texts: readonly string[];
  readonly faults: ReadonlyMap<number, string>;
  onText(j: number, text: string): void;
  /** Called with a text that holds the values of several outputs. */
  onPasted(text: string): void;
}

function OutputFields({ head, texts, faults, onText, onPasted }: OutputFieldsProps) {
  const names = outputNames(head);
  const id = useId();
  return (
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
          onText={(text) => onText(j, text)}
          onPasteText={(text) => {
            const isOne = splitPaste(text).flat().length <= 1 && readValues(text, names).fault !== undefined;
            if (!isOne && names.length > 1) onPasted(text);
            return !isOne && names.length > 1;
          }}
        />
      ))}
    </div>
  );
}

/** In place of more fields than anybody types into. */
function FoldedFields({ texts, onShow }: { readonly texts: readonly string[]; onShow(): void }) {
  return (
    <p>
      {texts.filter((text) => text.trim() !== '').length} of {texts.length} outputs are filled in.{' '}
      <button type="button" onClick={onShow}>
        Show all fields
      </button>
    </p>
  );
}

interface ButtonsProps {
  readonly load: string;
  readonly isPrimary: boolean;
  readonly isBusy: boolean;
  /** undefined where there is nothing to paste, or no failure to report. */
  readonly onPaste: (() => void) | undefined;
  readonly onFailure: (() => void) | undefined;
}

function Buttons({ load, isPrimary, isBusy, onPaste, onFailure }: ButtonsProps) {
  return (
    <p class="hand-buttons">
      <button type="submit" class={isPrimary ? 'primary' : undefined} disabled={isBusy}>
        {isBusy ? 'Loading…' : load}
      </button>
      {onPaste && (
        <button type="button" onClick={onPaste}>
          Paste…
        </button>
      )}
      {onFailure && (
        <button type="button" disabled={isBusy} onClick={onFailure}>
          The run failed…
        </button>
      )}
    </p>
  );
}
