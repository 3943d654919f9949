import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { BacksolveError } from '../../../../../clients/typescript/src/index.ts';
import { outputNames } from '../../../../presentation/values.ts';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import { useSending } from '../../../parts/sending.ts';
import { faultsByPointer, withoutShown } from '../../../parts/violations.ts';
import type { Run } from '../state/history.ts';
import type { CorrectionTarget } from './correcting.ts';
import { type CorrectionDraft, type CorrectionKind, KINDS, kindsOf, readCorrection } from './correction.ts';
import { outputAt } from './read-outputs.ts';

interface CorrectDialogProps {
  readonly run: Run;
  readonly target: CorrectionTarget;
  readonly kind: CorrectionKind;
  /** The outputs to begin with; default: the stored ones. */
  readonly texts?: readonly string[];
  /** Called after the correction. */
  afterwards?(): void;
  onClose(): void;
}

/** Corrects or excludes the result of a run. */
export function CorrectDialog({ run, target, kind, texts, afterwards, onClose }: CorrectDialogProps) {
  const head = run.head.value;
  const names = outputNames(head);
  const [draft, setDraft] = useState<CorrectionDraft>(() => ({
    kind,
    texts: texts ?? target.output?.map(String) ?? names.map(() => ''),
    failure: target.failure,
    reason: '',
    reopens: false,
  }));
  const [hasTried, setTried] = useState(false);
  const sending = useSending();
  const { error } = sending;
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  const needsReopening = error instanceof BacksolveError && error.code === 'REOPENING_NEEDED';
  const { body, outputFaults, reasonFault } = readCorrection(draft);
  const ofService = faultsByPointer(error);
  const faultOf = (j: number) => (hasTried ? outputFaults.get(j) : undefined) ?? ofService.get(`/output/${j}`);
  const set = (change: Partial<CorrectionDraft>) => setDraft({ ...draft, ...change });

  useEffect(() => {
    if (hasTried) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [hasTried, error]);

  const correct = () => {
    setTried(true);
    if (body === undefined) return;
    void sending.send(async () => {
      await target.send(body);
      afterwards?.();
      onClose();
      run.refresh();
    });
  };
  return (
    <FormDialog
      title={`Correct ${target.name}`}
      action="Correct"
      sending={sending}
      error={withoutShown(error, (pointer) => draft.kind === 'output' && outputAt(pointer) !== undefined)}
      formRef={form}
      onSubmit={correct}
      onClose={onClose}
    >
      <fieldset>
        <legend>What is the correct result?</legend>
        {kindsOf(target).map((one) => (
          <label key={one} class="choice">
            <input type="radio" name={`${id}-kind`} checked={draft.kind === one} onChange={() => set({ kind: one })} />
            <span>{KINDS[one]}</span>
          </label>
        ))}
      </fieldset>
      {draft.kind === 'output' && (
        <div class="field-grid">
          {names.map((name, j) => (
            <NumberField
              key={name}
              id={`${id}-${j}`}
              name={name}
              unit={head.outputUnits?.[j]}
              text={draft.texts[j]!}
              fault={faultOf(j)}
              onText={(text) => set({ texts: draft.texts.with(j, text) })}
            />
          ))}
        </div>
      )}
      {draft.kind === 'failed' && (
        <WideField
          id={`${id}-failure`}
          label="What happened (optional)"
          text={draft.failure}
          onText={(failure) => set({ failure })}
        />
      )}
      <WideField
        id={`${id}-reason`}
        label="Reason for the correction"
        text={draft.reason}
        fault={hasTried ? reasonFault : undefined}
        onText={(reason) => set({ reason })}
      />
      {(target.hasEnded || needsReopening) && (
        <ReopenChoice isChosen={draft.reopens} onChoose={(reopens) => set({ reopens })} />
      )}
    </FormDialog>
  );
}

interface WideFieldProps {
  readonly id: string;
  readonly label: string;
  readonly text: string;
  readonly fault?: string | undefined;
  onText(text: string): void;
}

/** A field for a sentence. */
function WideField({ id, label, text, fault, onText }: WideFieldProps) {
  return (
    <>
      <label for={id}>{label}</label>
      <input
        id={id}
        class="wide"
        maxLength={1000}
        value={text}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : `${id}-fault`}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
      {fault !== undefined && (
        <p id={`${id}-fault`} class="fault">
          {fault}
        </p>
      )}
    </>
  );
}

function ReopenChoice({ isChosen, onChoose }: { readonly isChosen: boolean; onChoose(isChosen: boolean): void }) {
  return (
    <label class="choice">
      <input type="checkbox" checked={isChosen} onChange={({ currentTarget }) => onChoose(currentTarget.checked)} />
      <span>
        Judge the ended objective again: it gets a new verdict, and continues if no run meets its targets. Otherwise a
        correction that would change the verdict is refused.
      </span>
    </label>
  );
}
