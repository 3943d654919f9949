import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import './dialog.css';

/** The field to begin with: of several options the chosen one. */
const FIRST = 'input:is(:checked, :not([type="radio"])), select, textarea';

interface DialogProps {
  readonly title: string;
  /** Escape, or the button. The dialog is then to be taken out of the tree. */
  onClose(): void;
  readonly children: ComponentChildren;
}

/** A modal dialog, open as long as it is in the tree. The focus goes back to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const before = document.activeElement;
    const element = dialog.current!;
    element.showModal();
    // Rather than the button that closes it.
    element.querySelector<HTMLElement>(FIRST)?.focus();
    return () => {
      // Nothing outside takes the focus while it is open.
      element.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      else document.getElementById('main')?.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2 id={titleId}>{title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}
