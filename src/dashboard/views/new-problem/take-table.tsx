/** Takes a table: pasted, dropped as a file, or chosen. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { FileBox } from '../../parts/file-box.tsx';
import type { Rows } from '../../parts/paste.ts';
import { SignQuestion, useTableReading } from '../../parts/sign-question.tsx';

/** The labels of boxes with text that was typed and not read. */
const unread = signal<readonly string[]>([]);

/** Request to deal with unread text before the form goes on; undefined if there is none. */
export function unreadText(): string | undefined {
  const [label] = unread.value;
  return label && `The text under “${label}” is not read yet: press “Read this text” there, or delete it.`;
}

interface TakeTableProps {
  readonly label: string;
  readonly hint: string;
  /** The expected number of cells per row, if known. */
  readonly width?: number;
  /** Returns a message about them. */
  onRows(rows: Rows): string;
}

export function TakeTable({ label, hint, width, onRows }: TakeTableProps) {
  const [said, say] = useState('');
  const [text, setText] = useState('');
  const reading = useTableReading(say);
  useEffect(() => {
    unread.value = [...unread.value.filter((one) => one !== label), ...(text.trim() === '' ? [] : [label])];
    return () => {
      unread.value = unread.value.filter((one) => one !== label);
    };
  }, [text.trim() === '', label]);
  const take = (taken: string) => {
    setText('');
    return reading.read({ text: taken, width, take: onRows });
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
      {reading.question && <SignQuestion question={reading.question} onAnswer={reading.answer} />}
    </FileBox>
  );
}
