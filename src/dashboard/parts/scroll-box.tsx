import type { ComponentChildren, Ref } from 'preact';

export interface ScrollBoxProps {
  /** Id of its heading. */
  readonly labelledBy: string;
  readonly class?: string;
  readonly boxRef?: Ref<HTMLElement>;
  readonly onScroll?: (event: Event & { readonly currentTarget: HTMLElement }) => void;
  readonly children: ComponentChildren;
}

/** Holds what may be wider or higher than its place. The keyboard can reach and scroll it. */
export function ScrollBox({ labelledBy, class: className = 'scroll-box', boxRef, onScroll, children }: ScrollBoxProps) {
  return (
    <section
      ref={boxRef ?? null}
      class={className}
      aria-labelledby={labelledBy}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without it only a pointer can scroll
      tabIndex={0}
      onScroll={onScroll}
    >
      {children}
    </section>
  );
}
