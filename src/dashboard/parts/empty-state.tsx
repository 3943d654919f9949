import type { ComponentChildren } from 'preact';

/** An empty view: says why it is empty and what to do next. */
export function EmptyState({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <section class="empty">
      <h1>{title}</h1>
      {children}
    </section>
  );
}
