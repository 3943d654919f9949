/** Takes a table: pasted, dropped as a file, or chosen. */
import { useState } from 'preact/hooks';
import { FileBox } from '../../parts/file-box.tsx';

interface TakeTableProps {
  readonly label: string;
  readonly hint: string;
  /** Returns what to say about it. */
  onText(text: string): string;
}

export function TakeTable({ label, hint, onText }: TakeTableProps) {
  const [said, say] = useState('');
  const [text, setText] = useState('');
  const take = (taken: string) => {
    setText('');
    return onText(taken);
  };
  return (
    <FileBox
      label={label}
      said={said}
      onSay={say}
      onText={take}
      buttons={
        text.trim() !== '' && (
          <button type="button" onClick={() => say(take(text))}>
            Read this text
          </button>
        )
      }
    >
      <label>
        {label}
        <textarea
          rows={2}
          value={text}
          placeholder="Paste here, or drop a CSV file"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onPaste={(event) => {
            const pasted = event.clipboardData?.getData('text/plain') ?? '';
            if (text !== '' || pasted === '') return;
            event.preventDefault();
            say(take(pasted));
          }}
        />
      </label>
      <p class="hint">{hint}</p>
    </FileBox>
  );
}
