import { useState } from 'preact/hooks';
import type { Head } from '../../../../presentation/columns.ts';
import { titled } from '../../../../presentation/formats.ts';
import { fullInputText, inputNames, inputText } from '../../../../presentation/values.ts';
import { copyText } from '../../../parts/clipboard.ts';
import { readNumber } from '../../../parts/read-number.ts';

/** More are shown smaller, in a box that scrolls. */
const MAXIMUM_LARGE = 12;

interface InputValuesProps {
  readonly head: Head;
  readonly input: readonly number[];
  /** Saves a card to print; resolves to what went wrong. */
  onPrint?(): Promise<string>;
}

/** An input in large type, copied with all digits. */
export function InputValues({ head, input, onPrint }: InputValuesProps) {
  const [showsAll, setShowsAll] = useState(false);
  const [said, setSaid] = useState('');
  const names = inputNames(head);
  const shortTexts = input.map((value, i) => inputText(head, i, value));
  const fullTexts = input.map((value, i) => fullInputText(head, i, value));
  const isShortened = input.some(
    (value, i) => head.inputTypes[i] === 'float' && readNumber(shortTexts[i]!).value !== value,
  );
  const isLong = input.length > MAXIMUM_LARGE;
  const copy = async () => {
    const lines = fullTexts.map((text, i) => `${titled(names[i]!, head.inputUnits?.[i])}\t${text}\n`);
    const isCopied = await copyText(lines.join(''));
    setSaid(isCopied ? 'Copied.' : 'The browser refused to copy. Select the values and copy them yourself.');
  };
  return (
    <>
      {isLong && <p class="hint">{input.length} inputs; scroll to see all.</p>}
      <dl
        class={isLong ? 'hand-input hand-input-long' : 'hand-input'}
        tabIndex={isLong ? 0 : undefined}
        aria-label="Input"
      >
        {input.map((_, i) => (
          <div key={names[i]}>
            <dt>{names[i]}</dt>
            <dd title={fullTexts[i]}>
              {showsAll ? fullTexts[i] : shortTexts[i]} <span class="unit">{head.inputUnits?.[i]}</span>
            </dd>
          </div>
        ))}
      </dl>
      <p class="hand-tools">
        <button type="button" onClick={() => void copy()}>
          Copy
        </button>
        {isShortened && (
          <button type="button" aria-pressed={showsAll} onClick={() => setShowsAll(!showsAll)}>
            All digits
          </button>
        )}
        {onPrint !== undefined && (
          <button type="button" onClick={() => void onPrint().then(setSaid)}>
            Card to print
          </button>
        )}
        <span role="status">{said}</span>
      </p>
    </>
  );
}
