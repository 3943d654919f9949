import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import './menu.css';

const GAP_PX = 4;

interface MenuProps {
  /** Text of the button, unique on the page. */
  readonly label: string;
  /** Buttons and links. */
  readonly children: ComponentChildren;
}

/** A button that opens a few actions in the top layer, where no scrolling box cuts them off. Escape and a click elsewhere close it. */
export function Menu({ label, children }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const place = () => {
    const { style, offsetWidth, offsetHeight } = list.current!;
    const { right, bottom, top } = button.current!.getBoundingClientRect();
    const isBelow = bottom + GAP_PX + offsetHeight <= innerHeight;
    style.left = `${Math.max(0, right - offsetWidth)}px`;
    style.top = `${isBelow ? bottom + GAP_PX : Math.max(0, top - GAP_PX - offsetHeight)}px`;
  };
  return (
    <>
      <button ref={button} type="button" class="quiet menu-button" aria-label={label} popovertarget={id}>
        <span aria-hidden="true">⋯</span>
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the click is that of a button in it */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys click the buttons */}
      <div
        ref={list}
        id={id}
        popover="auto"
        class="menu"
        onToggle={({ newState }) => {
          if (newState === 'open') place();
        }}
        onClick={() => list.current?.hidePopover()}
      >
        {children}
      </div>
    </>
  );
}
