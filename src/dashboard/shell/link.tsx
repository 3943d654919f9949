import type { ComponentChildren } from 'preact';
import { navigate } from './router.ts';

interface LinkProps {
  /** The path, beginning with /page. */
  readonly to: string;
  readonly class?: string;
  readonly title?: string;
  readonly current?: boolean;
  /** Leads to another part of the same view: the scroll position and the focus stay. */
  readonly keepsPlace?: boolean;
  readonly children: ComponentChildren;
}

/** A link within the page, followed without a reload unless the user opens a new tab or window. */
export function Link({ to, class: className, title, current = false, keepsPlace = false, children }: LinkProps) {
  return (
    <a
      href={to}
      class={className}
      title={title}
      aria-current={current ? 'page' : undefined}
      onClick={(event: MouseEvent) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        navigate(to, { keepsPlace });
      }}
    >
      {children}
    </a>
  );
}
