/** Controls of the form: each shows the fault at its path. */
import type { ComponentChildren } from 'preact';
import { faults } from './store.ts';

export function fieldId(path: string): string {
  return `field-${path.replaceAll('/', '-')}`;
}

/** Focuses a control once the change just made has been drawn, before anything else is pressed. */
export function focusField(path: string): void {
  queueMicrotask(() => {
    const field = document.getElementById(fieldId(path));
    field?.focus();
    field?.scrollIntoView({ block: 'nearest' });
  });
}

function faultId(path: string): string {
  return `fault-${path.replaceAll('/', '-')}`;
}

/** The attributes that connect a control with the fault at its path. */
export function described(path: string) {
  const fault = faults.value[path];
  return {
    id: fieldId(path),
    'aria-invalid': fault !== undefined,
    'aria-describedby': fault === undefined ? undefined : faultId(path),
  };
}

export function FaultAt({ path }: { readonly path: string }) {
  const fault = faults.value[path];
  if (fault === undefined) return null;
  return (
    <span id={faultId(path)} class="fault">
      {fault}
    </span>
  );
}

/** A fault that belongs to no single control; can be focused. */
export function FaultBlock({ path }: { readonly path: string }) {
  const fault = faults.value[path];
  if (fault === undefined) return null;
  return (
    <p id={fieldId(path)} class="fault" tabIndex={-1} role="alert">
      {fault}
    </p>
  );
}

interface TextProps {
  readonly path: string;
  readonly label: string;
  readonly value: string;
  onInput(value: string): void;
  readonly isNumber?: boolean;
  readonly placeholder?: string;
  readonly class?: string;
}

/** A text field in a cell; its label is for screen readers only. */
export function CellText({ path, label, value, onInput, isNumber = false, placeholder, class: name }: TextProps) {
  return (
    <>
      <input
        {...described(path)}
        type="text"
        class={isNumber ? 'number' : name}
        inputMode={isNumber ? 'decimal' : 'text'}
        aria-label={label}
        placeholder={placeholder}
        value={value}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <FaultAt path={path} />
    </>
  );
}

/** A labelled text field of its own. */
export function TextField(props: TextProps & { readonly hint?: ComponentChildren }) {
  const { path, label, hint } = props;
  return (
    <div class="field">
      <label for={fieldId(path)}>{label}</label>
      <CellText {...props} />
      {hint !== undefined && <p class="hint">{hint}</p>}
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  readonly path: string;
  readonly label: string;
  readonly value: Value;
  readonly options: Readonly<Record<Value, string>>;
  onChange(value: Value): void;
}

export function CellChoice<Value extends string>({ path, label, value, options, onChange }: ChoiceProps<Value>) {
  return (
    <>
      <select
        {...described(path)}
        aria-label={label}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}
      >
        {(Object.entries(options) as [Value, string][]).map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
      <FaultAt path={path} />
    </>
  );
}
