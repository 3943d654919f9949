/** Addresses of the page: one table from paths to views, and navigation without a reload. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';

/** Numbers from the path, and the query. */
export interface Place {
  readonly ids: readonly number[];
  readonly query: URLSearchParams;
}

export interface ViewProps {
  readonly place: Place;
}

export type View = ComponentType<ViewProps>;

interface Route {
  readonly pattern: RegExp;
  readonly title: string;
  /** Loaded when it is first opened. */
  load(): Promise<{ readonly default: View }>;
}

const ROUTES: readonly Route[] = [
  { pattern: /^\/page\/?$/, title: 'Objectives', load: () => import('../views/overview/overview.tsx') },
  {
    pattern: /^\/page\/objectives\/(\d+)$/,
    title: 'Objective',
    load: () => import('../views/objective/objective.tsx'),
  },
  { pattern: /^\/page\/new$/, title: 'New problem', load: () => import('../views/new-problem/new-problem.tsx') },
  { pattern: /^\/page\/compare$/, title: 'Compare', load: () => import('../views/compare/compare.tsx') },
  {
    pattern: /^\/page\/administration$/,
    title: 'Administration',
    load: () => import('../views/administration/administration.tsx'),
  },
];

export interface Address {
  readonly path: string;
  readonly search: string;
}

const readAddress = (): Address => ({ path: location.pathname, search: location.search });

export const address = signal<Address>(readAddress());

addEventListener('popstate', () => {
  address.value = readAddress();
});

export interface Match {
  readonly route: Route;
  readonly place: Place;
}

export function findRoute({ path, search }: Address): Match | undefined {
  for (const route of ROUTES) {
    const match = route.pattern.exec(path);
    if (match !== null)
      return { route, place: { ids: match.slice(1).map(Number), query: new URLSearchParams(search) } };
  }
  return undefined;
}

/** Goes to an address of the page; `replace` leaves no entry in the browser's history. */
export function navigate(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  const now = readAddress();
  const isOtherPath = now.path !== address.value.path;
  address.value = now;
  if (isOtherPath) scrollTo(0, 0);
}
