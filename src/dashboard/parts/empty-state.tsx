import type { ComponentChildren } from 'preact';

/** Where there is nothing to show: says why, and what to do next. */
export function EmptyState({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <section class="empty">
      <h1>{title}</h1>
      {children}
    </section>
  );
}
