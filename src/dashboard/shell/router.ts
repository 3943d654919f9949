/** The address of the page, and navigation without a reload. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';

/** Information in an address for the view that it leads to. */
export interface Place {
  /** Numbers from the path. */
  readonly ids: readonly number[];
  /** The path within the view, such as "runs/7"; empty for the view itself. */
  readonly part: string;
  readonly query: URLSearchParams;
}

export interface ViewProps {
  readonly place: Place;
}

export type View = ComponentType<ViewProps>;

export interface Address {
  readonly path: string;
  readonly search: string;
}

const readAddress = (): Address => ({ path: location.pathname, search: location.search });

export const address = signal<Address>(readAddress());

addEventListener('popstate', () => {
  address.value = readAddress();
});

/**
 * Goes to an address of the page.
 *
 * @param replace     leaves no entry in the browser's history
 * @param keepsPlace  leaves the scroll position and the focus, as between parts of a view
 */
export function navigate(to: string, { replace = false, keepsPlace = false } = {}): void {
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  const now = readAddress();
  const isOtherPath = now.path !== address.value.path;
  address.value = now;
  if (!isOtherPath || keepsPlace) return;
  scrollTo(0, 0);
  // The followed link disappears, so the focus moves to the beginning of the new view.
  document.getElementById('main')?.focus({ preventScroll: true });
}
