import { useId, useState } from 'preact/hooks';

interface AskForMoreProps {
  readonly openCount: number;
  /** Number of further inputs that may be open. */
  readonly room: number;
  onAsk(count: number): void;
}

/** Asks for several inputs in one request. */
export function AskForMore({ openCount, room, onAsk }: AskForMoreProps) {
  const [wanted, setWanted] = useState(1);
  const id = useId();
  if (room <= 0) return <p class="hint">No more runs may be open. Load an output to ask for another input.</p>;
  const count = Math.max(1, Math.min(wanted, room));
  return (
    <form
      class="hand-more"
      onSubmit={(event) => {
        event.preventDefault();
        onAsk(count);
      }}
    >
      <label for={id}>{openCount === 0 ? 'How many inputs' : 'How many more'}</label>
      <input
        id={id}
        type="number"
        inputMode="numeric"
        min={1}
        max={room}
        value={count}
        onInput={({ currentTarget }) => setWanted(Math.round(currentTarget.valueAsNumber) || 1)}
      />
      <button
        type="submit"
        class={openCount === 0 ? 'primary big' : 'big'}
        data-ask
        data-follow={openCount === 0 ? '' : undefined}
      >
        {openCount === 0 ? 'Ask for inputs' : 'Ask for more'}
      </button>
    </form>
  );
}
