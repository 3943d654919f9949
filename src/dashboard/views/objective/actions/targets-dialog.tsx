import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { GOAL_TYPES, type GoalType } from '../../../../../clients/typescript/src/generated/goal-types.ts';
import { BacksolveError, StopReason } from '../../../../../clients/typescript/src/index.ts';
import type { Head } from '../../../../presentation/columns.ts';
import { type Ends, titled, wanted, withUnit } from '../../../../presentation/formats.ts';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import { useSending } from '../../../parts/sending.ts';
import type { OutputDraft } from '../../new-problem/draft.ts';
import { intervalsOf } from '../../new-problem/intervals.ts';
import { MoreOptions } from '../../new-problem/more-options.tsx';
import { NOTHING_ASKED } from '../../new-problem/options.ts';
import { placeViolations } from '../../new-problem/pointers.ts';
import { type Faults, isFaultless, readObjectives } from '../../new-problem/requests.ts';
import { draftOf } from '../../new-problem/targets.ts';
import { GOAL_CHOICES } from '../../new-problem/words.ts';
import { goOn } from '../state/going-on.ts';

interface TargetsDialogProps {
  readonly head: Head;
  onClose(): void;
}

/** Creates an objective with other targets that continues this one. */
export function TargetsDialog({ head, onClose }: TargetsDialogProps) {
  const [draft, setDraft] = useState(() => draftOf(head));
  const [faults, setFaults] = useState<Faults>({});
  const sending = useSending();
  const form = useRef<HTMLFormElement>(null);
  const { outputs } = draft;
  const intervals = intervalsOf(outputs, draft.desiredL1Norm);
  const isExact = outputs.some(({ type }) => type === 'exact');
  const set = (j: number, change: Partial<OutputDraft>) => {
    setDraft({ ...draft, outputs: outputs.with(j, { ...outputs[j]!, ...change }) });
    clear(Object.keys(change).map((field) => `outputs/${j}/${field}`));
  };
  const clear = (changed: readonly string[]) => setFaults(without(faults, changed));
  const asksForFocus = useRef(false);
  useEffect(() => {
    if (!asksForFocus.current) return;
    asksForFocus.current = false;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [faults]);

  const load = () => {
    asksForFocus.current = true;
    const read = readObjectives(draft, head.fits ?? []);
    setFaults(read.faults);
    if (!isFaultless(read.faults)) return;
    void sending.send(async () => {
      try {
        await goOn(head, { ...NOTHING_ASKED, ...read.body });
      } catch (failure) {
        asksForFocus.current = true;
        if (failure instanceof BacksolveError) setFaults(placeViolations(draft, 'objective', failure.violations));
        throw failure;
      }
    });
  };
  const isPlaced = Object.keys(faults).length > 0 && Object.keys(faults).every((path) => path.includes('/'));
  return (
    <FormDialog
      title="Change targets"
      action={sending.isBusy ? 'Loading…' : 'Continue with these targets'}
      sending={sending}
      error={isPlaced ? undefined : sending.error}
      formRef={form}
      onSubmit={load}
      onClose={onClose}
    >
      <p>
        This creates a new objective with these targets. It knows all runs so far, so nothing has to be repeated.
        {head.stopReason === StopReason.RUNNING && ' The current objective is stopped.'}
      </p>
      {outputs.map((output, j) => (
        <TargetRow
          key={output.key}
          output={output}
          j={j}
          faults={faults}
          satisfiedBy={intervals[j]}
          onChange={(change) => set(j, change)}
        />
      ))}
      {isExact && (
        <NumberField
          id="targets-sum"
          name="Sum of all differences at most"
          text={draft.desiredL1Norm}
          fault={faults['desiredL1Norm']}
          onText={(desiredL1Norm) => setDraft({ ...draft, desiredL1Norm })}
        />
      )}
      <NumberField
        id="targets-attempts"
        name="Runs at most"
        text={draft.maximumAttempts}
        fault={faults['maximumAttempts']}
        onText={(maximumAttempts) => setDraft({ ...draft, maximumAttempts })}
      />
      <MoreOptions
        draft={draft}
        faults={faults}
        onChange={(change, path) => {
          setDraft({ ...draft, ...change });
          clear([path]);
        }}
      />
    </FormDialog>
  );
}

/** Returns the faults themselves if none of the fields has one. */
function without(faults: Faults, fields: readonly string[]): Faults {
  if (!fields.some((path) => path in faults)) return faults;
  return Object.fromEntries(Object.entries(faults).filter(([path]) => !fields.includes(path)));
}

interface TargetRowProps {
  readonly output: OutputDraft;
  readonly j: number;
  readonly faults: Faults;
  readonly satisfiedBy: Ends | undefined;
  onChange(change: Partial<OutputDraft>): void;
}

function TargetRow({ output, j, faults, satisfiedBy: values, onChange }: TargetRowProps) {
  const { name, unit, type, target } = output;
  const id = useId();
  const fault = (field: string) => faults[`outputs/${j}/${field}`];
  const { offsets } = GOAL_TYPES[type];
  return (
    <fieldset class="target-row">
      <legend>{titled(name, unit)}</legend>
      <div class="field">
        <label for={`${id}-type`}>Wanted</label>
        <select
          id={`${id}-type`}
          value={type}
          aria-invalid={fault('type') !== undefined}
          onChange={({ currentTarget }) => onChange({ type: currentTarget.value as GoalType })}
        >
          {Object.entries(GOAL_CHOICES).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
        {fault('type') !== undefined && <p class="fault">{fault('type')}</p>}
      </div>
      <NumberField
        id={`${id}-target`}
        name={type === 'fit' ? 'Measured value' : 'Target'}
        unit={unit}
        text={target}
        fault={fault('target')}
        onText={(text) => onChange({ target: text })}
      />
      {offsets !== null &&
        (['from', 'to'] as const).map((end) => (
          <NumberField
            key={end}
            id={`${id}-${end}`}
            name={end === 'from' ? 'From' : 'To'}
            unit={offsets.suffix.trim() || unit}
            text={output[end]}
            fault={fault(end)}
            onText={(text) => onChange({ [end]: text })}
          />
        ))}
      {type === 'fit' && (
        <NumberField
          id={`${id}-sigma`}
          name="Standard error"
          unit={unit}
          text={output.sigma}
          fault={fault('sigma')}
          onText={(text) => onChange({ sigma: text })}
        />
      )}
      <p class="hint">{values !== undefined && `Satisfied by ${withUnit(wanted(values), unit)}`}</p>
    </fieldset>
  );
}
