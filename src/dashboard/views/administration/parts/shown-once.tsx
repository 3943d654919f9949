import { useId, useState } from 'preact/hooks';
import { copyText } from '../../../parts/clipboard.ts';

interface ShownOnceProps {
  /** The kind of secret, for example "API key". */
  readonly name: string;
  readonly text: string;
  /** Advice on its use. */
  readonly hint: string;
  onDone(): void;
}

/** A secret that the service shows only once. */
export function ShownOnce({ name, text, hint, onDone }: ShownOnceProps) {
  const [said, setSaid] = useState('');
  const id = useId();
  const copy = async () => {
    const isCopied = await copyText(text);
    setSaid(isCopied ? 'Copied.' : 'The browser refused to copy. Select the text and copy it yourself.');
  };
  return (
    <>
      <label for={id}>{name}</label>
      <div class="shown-once">
        <input
          id={id}
          class="secret"
          readOnly
          value={text}
          aria-describedby={`${id}-hint`}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <button type="button" class="primary" onClick={() => void copy()}>
          Copy
        </button>
      </div>
      <p role="status">{said}</p>
      <p id={`${id}-hint`} class="notice warning">
        Copy it now: it is shown only once. {hint}
      </p>
      <p class="dialog-buttons">
        <button type="button" onClick={onDone}>
          Done
        </button>
      </p>
    </>
  );
}
