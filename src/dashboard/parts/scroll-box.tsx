import type { ComponentChildren, Ref } from 'preact';

export interface ScrollBoxProps {
  /** A description of the content, unique on the page. */
  readonly label: string;
  readonly class?: string;
  readonly boxRef?: Ref<HTMLElement>;
  readonly onScroll?: (event: Event & { readonly currentTarget: HTMLElement }) => void;
  readonly children: ComponentChildren;
}

/** A box with scroll bars for large content. The keyboard can reach and scroll it. */
export function ScrollBox({ label, class: className = 'scroll-box', boxRef, onScroll, children }: ScrollBoxProps) {
  return (
    <section
      ref={boxRef ?? null}
      class={className}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without it only a pointer can scroll
      tabIndex={0}
      onScroll={onScroll}
    >
      {children}
    </section>
  );
}
