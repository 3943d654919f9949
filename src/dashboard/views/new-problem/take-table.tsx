/** Takes a table: pasted, dropped as a file, or chosen. */
import { useState } from 'preact/hooks';

interface TakeTableProps {
  readonly label: string;
  readonly hint: string;
  /** Returns what to say about it. */
  onText(text: string): string;
}

/** Larger files are not read: the service would refuse them as well. */
const MAXIMUM_BYTES = 32 * 1024 * 1024;

export function TakeTable({ label, hint, onText }: TakeTableProps) {
  const [said, setSaid] = useState('');
  const [isOver, setOver] = useState(false);
  const [text, setText] = useState('');
  const take = (taken: string) => {
    setText('');
    setSaid(onText(taken));
  };
  const takeFile = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > MAXIMUM_BYTES) setSaid(`${file.name} is larger than 32 MB; take a part of it.`);
    else take(await file.text());
  };
  return (
    <fieldset
      class={isOver ? 'take-table over' : 'take-table'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void takeFile(event.dataTransfer?.files[0]);
      }}
    >
      <legend class="visually-hidden">{label}</legend>
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
            take(pasted);
          }}
        />
      </label>
      <p class="hint">{hint}</p>
      <div class="actions">
        {text.trim() !== '' && (
          <button type="button" onClick={() => take(text)}>
            Read this text
          </button>
        )}
        <label class="button file">
          Choose a CSV file
          <input
            class="file-choice"
            type="file"
            accept=".csv,.tsv,.txt,text/csv,text/plain"
            onChange={({ currentTarget }) => {
              void takeFile(currentTarget.files?.[0]);
              currentTarget.value = '';
            }}
          />
        </label>
      </div>
      <p role="status" class="said">
        {said}
      </p>
    </fieldset>
  );
}
