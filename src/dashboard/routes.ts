/** The views of the page, by their paths. Apart from the router, which the views import. */
import type { Address, Place, View } from './shell/router.ts';

interface Route {
  readonly pattern: RegExp;
  readonly title: string;
  /** Uses the full width of the window. */
  readonly isWide?: boolean;
  /** Loaded when it is first opened. */
  load(): Promise<{ readonly default: View }>;
}

const ROUTES: readonly Route[] = [
  { pattern: /^\/page\/?$/, title: 'Objectives', isWide: true, load: () => import('./views/overview/overview.tsx') },
  {
    pattern: /^\/page\/objectives\/(\d+)(?:\/([\w/-]+?))?\/?$/,
    title: 'Objective',
    isWide: true,
    load: () => import('./views/objective/objective.tsx'),
  },
  { pattern: /^\/page\/new$/, title: 'New problem', load: () => import('./views/new-problem/new-problem.tsx') },
  { pattern: /^\/page\/batch$/, title: 'Start a batch', load: () => import('./views/batch/start-batch.tsx') },
  {
    pattern: /^\/page\/compare$/,
    title: 'Compare',
    isWide: true,
    load: () => import('./views/compare/compare.tsx'),
  },
  { pattern: /^\/page\/people$/, title: 'People', load: () => import('./views/people/people.tsx') },
  {
    pattern: /^\/page\/administration$/,
    title: 'Administration',
    load: () => import('./views/administration/administration.tsx'),
  },
];

export interface Match {
  readonly route: Route;
  readonly place: Place;
}

export function findRoute({ path, search }: Address): Match | undefined {
  for (const route of ROUTES) {
    const match = route.pattern.exec(path);
    if (match === null) continue;
    const [, id, part = ''] = match;
    return { route, place: { ids: id === undefined ? [] : [Number(id)], part, query: new URLSearchParams(search) } };
  }
  return undefined;
}
