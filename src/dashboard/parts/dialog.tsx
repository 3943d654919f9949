import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import './dialog.css';

/** The field that gets the focus first: of several options the chosen one. */
const FIRST = 'input:is(:checked, :not([type="radio"])), select, textarea';

interface DialogProps {
  readonly title: string;
  /** Called for Escape and the button; the caller then removes the dialog from the tree. */
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
    // Without this the close button would have the focus.
    element.querySelector<HTMLElement>(FIRST)?.focus();
    return () => {
      // While the dialog is open, nothing outside can take the focus.
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
