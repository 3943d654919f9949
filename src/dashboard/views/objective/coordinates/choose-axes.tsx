/** Chooses the inputs and outputs that are shown, in the chart and in the table of runs. */
import { useId, useState } from 'preact/hooks';
import { capitalized } from '../../../../presentation/formats.ts';
import { type AxisKey, allKeys, SHOWN_AT_FIRST, titleOf } from '../state/axes.ts';
import type { Choice } from '../state/choice.ts';
import type { Run } from '../state/history.ts';

const MOST = 40;
const LISTED = 100;

interface ChooseAxesProps {
  readonly run: Run;
  readonly choice: Pick<Choice, 'keys' | 'chosenKeys'>;
  readonly what?: 'axes' | 'columns';
}

export function ChooseAxes({ run, choice, what = 'axes' }: ChooseAxesProps) {
  const [isOpen, setOpen] = useState(false);
  const head = run.head.value;
  const inputCount = head.minimums.length;
  const outputCount = head.objectives.length;
  const isCut = inputCount > SHOWN_AT_FIRST || outputCount > SHOWN_AT_FIRST;
  const shown = choice.keys.value.length;
  return (
    <>
      {isCut && (
        <span class="hint">
          {shown} of {inputCount + outputCount} {what}
          {choice.chosenKeys.value ? '' : hintOf(head.insight !== null)}
        </span>
      )}
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Choose {what}
      </button>
      {isOpen && <List run={run} choice={choice} what={what} />}
    </>
  );
}

function hintOf(hasInsight: boolean): string {
  return hasInsight ? ': the most sensitive inputs, the worst outputs' : ': the first inputs, the worst outputs';
}

function List({ run, choice, what }: Required<ChooseAxesProps>) {
  const id = useId();
  const [sought, seek] = useState('');
  const head = run.head.value;
  const keys = choice.keys.value;
  const all = allKeys(head);
  const found = all.filter((key) => titleOf(head, key).toLowerCase().includes(sought.trim().toLowerCase()));
  const toggle = (key: AxisKey) => {
    const next = new Set(keys);
    if (!next.delete(key)) next.add(key);
    choice.chosenKeys.value = all.filter((one) => next.has(one));
  };
  return (
    <fieldset class="choose-axes">
      <legend>
        {capitalized(what)} to show, {MOST} at most
      </legend>
      <div class="field-row">
        <label for={id}>Find</label>
        <input id={id} type="search" value={sought} onInput={({ currentTarget }) => seek(currentTarget.value)} />
        <button type="button" onClick={() => (choice.chosenKeys.value = undefined)}>
          Reset
        </button>
        <button type="button" onClick={() => (choice.chosenKeys.value = [])}>
          None
        </button>
        {found.length > LISTED && (
          <span class="hint">
            The first {LISTED} of {found.length}; find others by name.
          </span>
        )}
      </div>
      <div class="choose-list">
        {found.slice(0, LISTED).map((key) => (
          <label key={key}>
            <input
              type="checkbox"
              checked={keys.includes(key)}
              disabled={keys.length >= MOST && !keys.includes(key)}
              onChange={() => toggle(key)}
            />{' '}
            {titleOf(head, key)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
