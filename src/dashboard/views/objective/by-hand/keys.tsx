import { useLayoutEffect, useRef } from 'preact/hooks';
import { Dialog } from '../../../parts/dialog.tsx';

/** Handles keys, unless a field has the focus or a dialog is open. */
export function useKeys(work: Readonly<Record<string, () => void>>): void {
  const newest = useRef(work);
  newest.current = work;
  // Before the browser paints: whoever sees the button can press the key.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
      const act = newest.current[event.key];
      if (act === undefined || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}

const KEYS: readonly (readonly [key: string, what: string])[] = [
  ['n', 'Ask for the next input, or go to the form of the open run'],
  ['/', 'Find a run'],
  ['?', 'This help'],
  ['Esc', 'Close a dialog'],
];

export function KeysHelp({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">Keys have no effect while you type in a field.</p>
    </Dialog>
  );
}
