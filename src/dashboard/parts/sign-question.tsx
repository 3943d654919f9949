/** Asks for the meaning of a comma in an ambiguous table, once for the whole table. */
import { useState } from 'preact/hooks';
import type { DecimalSign, Question } from './decimal-sign.ts';
import { type Rows, readTable } from './paste.ts';

interface SignQuestionProps {
  readonly question: Question;
  onAnswer(sign: DecimalSign): void;
}

export function SignQuestion({ question: { text, readings }, onAnswer }: SignQuestionProps) {
  return (
    <fieldset class="notice">
      <legend class="visually-hidden">What the comma means</legend>
      <p role="status">Which number is {text}? The answer applies to all numbers like it.</p>
      <p class="field-row">
        <button type="button" onClick={() => onAnswer('comma')}>
          {readings.comma}, with a decimal comma
        </button>
        <button type="button" onClick={() => onAnswer('point')}>
          {readings.point}, the comma separates thousands
        </button>
      </p>
    </fieldset>
  );
}

interface Table {
  readonly text: string;
  readonly width?: number | undefined;
  /** Takes the rows. Returns a message about them. */
  take(rows: Rows): string;
}

export interface TableReading {
  /** Takes the table, or asks first. Returns a message. */
  read(table: Table): string;
  /** undefined: there is no question. */
  readonly question: Question | undefined;
  answer(sign: DecimalSign): void;
}

/** Reads pasted tables. */
export function useTableReading(say: (said: string) => void): TableReading {
  const [asked, setAsked] = useState<{ readonly table: Table; readonly question: Question } | undefined>(undefined);
  const read = (table: Table, sign?: DecimalSign) => {
    const { rows, note, question } = readTable(table.text, { width: table.width, sign });
    setAsked(question && { table, question });
    if (rows === undefined) return '';
    return `${table.take(rows)} ${note}`.trim();
  };
  return {
    read: (table) => read(table),
    question: asked?.question,
    answer: (sign) => asked && say(read(asked.table, sign)),
  };
}
