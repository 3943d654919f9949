/** The views of the page, by their paths. Apart from the router, which the views import. */
import type { Address, Place, View } from './router.ts';

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
