import type { ComponentChildren } from 'preact';
import { titled } from './formats.ts';

interface NumberFieldProps {
  readonly id: string;
  readonly name: string;
  readonly unit?: string | null | undefined;
  /** As typed. */
  readonly text: string;
  /** What is wrong with it. */
  readonly fault?: string | undefined;
  readonly hint?: ComponentChildren;
  readonly disabled?: boolean;
  onText(text: string): void;
  /** Returns whether it has taken the text that was pasted. */
  onPasteText?(text: string): boolean;
}

/** A number with its name, its unit and what is wrong with it. Shows the keys for numbers on a phone. */
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
