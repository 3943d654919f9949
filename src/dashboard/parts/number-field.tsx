import type { ComponentChildren } from 'preact';
import { titled } from '../../presentation/formats.ts';

interface NumberFieldProps {
  readonly id: string;
  readonly name: string;
  readonly unit?: string | null | undefined;
  /** The text as typed. */
  readonly text: string;
  /** The error of the text. */
  readonly fault?: string | undefined;
  readonly hint?: ComponentChildren;
  readonly disabled?: boolean;
  onText(text: string): void;
  /** Returns whether it used the pasted text. */
  onPasteText?(text: string): boolean;
}

/** A number field with name, unit and error. Phones show the keypad for numbers. */
export function NumberField({ id, name, unit, text, fault, hint, disabled, onText, onPasteText }: NumberFieldProps) {
  return (
    <div class="field">
      <label for={id}>{titled(name, unit)}</label>
      <input
        id={id}
        inputMode="decimal"
        autocomplete="off"
        spellcheck={false}
        value={text}
        disabled={disabled ?? false}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : `${id}-fault`}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
        onPaste={(event) => {
          const pasted = event.clipboardData?.getData('text/plain') ?? '';
          if (onPasteText?.(pasted)) event.preventDefault();
        }}
      />
      {hint !== undefined && <p class="hint">{hint}</p>}
      {fault !== undefined && (
        <p id={`${id}-fault`} class="fault">
          {fault}
        </p>
      )}
    </div>
  );
}
