/**
 * The rules for folders below the first level of src: the capabilities and their order, and the folders that may import each other.
 * A folder is the directory that a file lies in. To relax a rule, change a table here, where a review will see it.
 */
import { posix } from 'node:path';
import { type Import, resolve } from './import-rules.ts';

/** Floors with one folder per capability. */
const FLOORS_OF_CAPABILITIES = ['domain', 'application', 'db', 'http/native'] as const;

/**
 * Capabilities of the service, from the bottom up. On each floor a capability imports those before it. Files directly on a floor belong to
 * no capability: in domain, application and db they are what every capability uses, in http/native they list all operations.
 */
export const CAPABILITIES = [
  // The account, its keys, sessions and storage.
  'accounts',
  'people',
  // Models and projects: inputs, limits, names, the designed cases.
  'problem',
  // Trials and the results of their cases.
  'data',
  'workbooks',
  // Objectives, their runs and what is learned from them.
  'search',
  'notes',
  // Changes of data that searches have learned from.
  'corrections',
  'batches',
  'evaluations',
  'webhooks',
  // Reports, links and lines of JSON.
  'exports',
  'deletion',
] as const;

/** Imports of a capability from one that comes later, by folders, and why. None goes both ways. */
const AGAINST_THE_ORDER: Readonly<Record<string, string>> = {
  'application/batches -> application/webhooks': 'a batch with an address has its URL judged as those of webhooks are',
  'db/search -> db/webhooks': 'the statement that writes a search stores its events too',
};

/** Folders of a floor that are no capability. */
const OTHER_FOLDERS: readonly string[] = ['db/backup', 'db/connection'];

/** Pairs of folders that import each other, in alphabetical order, and why. */
const MUTUAL: Readonly<Record<string, string>> = {
  '. <-> cli': 'main.ts starts the commands, which read the log and the installation beside it',
  'db <-> db/connection': 'the connection has the type of schema.ts, which lies where everybody looks for it',
  'domain/search <-> domain/search/quests': 'quest.ts lists the quests, whose rules use the types of a search',
  'http/answer <-> http/operation': 'the description of an operation has the type of answers in slices',
  'optimizer/constraints <-> optimizer/space':
    'one floor of the optimizer: conditions cut the box that inputs are encoded in',
};

/** More pairs mean that the folders have stopped being a map. */
export const MOST_PAIRS = 40;

export interface FolderTables {
  readonly mutual: Readonly<Record<string, string>>;
  readonly againstTheOrder: Readonly<Record<string, string>>;
}

const TABLES: FolderTables = { mutual: MUTUAL, againstTheOrder: AGAINST_THE_ORDER };

/** The floor and the capability of a folder of src, or undefined. */
function capabilityOf(folder: string): { readonly floor: string; readonly rank: number } | undefined {
  for (const floor of FLOORS_OF_CAPABILITIES) {
    if (!folder.startsWith(`${floor}/`)) continue;
    const rank = (CAPABILITIES as readonly string[]).indexOf(folder.slice(floor.length + 1).split('/')[0]!);
    return rank < 0 ? undefined : { floor, rank };
  }
  return undefined;
}

/** Imports between folders of src, as `from -> to`, each with the first import that makes it. */
function arrowsOf(imports: readonly Import[]): ReadonlyMap<string, Import> {
  const arrows = new Map<string, Import>();
  for (const one of imports) {
    const target = resolve(one);
    if (target === undefined || target.startsWith('../')) continue;
    const [from, to] = [posix.dirname(one.from), posix.dirname(target)];
    const arrow = `${from} -> ${to}`;
    if (from !== to && !arrows.has(arrow)) arrows.set(arrow, one);
  }
  return arrows;
}

/** Pairs of folders that import each other, as `a <-> b`, sorted. */
export function findMutualPairs(imports: readonly Import[]): readonly string[] {
  const arrows = arrowsOf(imports);
  return [...arrows.keys()]
    .map((arrow) => arrow.split(' -> ') as [string, string])
    .filter(([from, to]) => from < to && arrows.has(`${to} -> ${from}`))
    .map(([from, to]) => `${from} <-> ${to}`)
    .sort();
}

/** Complaints about pairs that are not listed, or listed and gone. */
export function judgePairs(imports: readonly Import[], { mutual }: FolderTables = TABLES): readonly string[] {
  const found = findMutualPairs(imports);
  return [
    ...found.filter((pair) => !(pair in mutual)).map((pair) => `${pair} import each other`),
    ...found
      .filter((pair) => betweenCapabilities(pair))
      .map((pair) => `${pair} import each other, as no capabilities may`),
    ...Object.keys(mutual)
      .filter((pair) => !found.includes(pair))
      .map((pair) => `${pair} no longer import each other: remove them from the table`),
  ];
}

function betweenCapabilities(pair: string): boolean {
  const [a, b] = pair.split(' <-> ').map((folder) => capabilityOf(folder));
  return a !== undefined && b !== undefined && a.floor === b.floor && a.rank !== b.rank;
}

/** Complaints about imports of a capability from a later one of the same floor. */
export function judgeOrder(imports: readonly Import[], { againstTheOrder }: FolderTables = TABLES): readonly string[] {
  const upwards = [...arrowsOf(imports)].filter(([arrow]) => {
    const [from, to] = arrow.split(' -> ').map((folder) => capabilityOf(folder));
    return from !== undefined && to !== undefined && from.floor === to.floor && to.rank > from.rank;
  });
  const found = new Map(upwards);
  return [
    ...upwards
      .filter(([arrow]) => !(arrow in againstTheOrder))
      .map(([, { from, specifier }]) => `${from} imports ${specifier}, of a capability that comes later`),
    ...Object.keys(againstTheOrder)
      .filter((arrow) => !found.has(arrow))
      .map((arrow) => `${arrow} is gone: remove it from the table`),
  ];
}

/** Complaints about folders of a floor that bear no word of CAPABILITIES, and words that no floor has. Takes paths within src. */
export function judgeFolders(paths: readonly string[]): readonly string[] {
  const folders = new Set(
    paths.flatMap((path) => {
      const floor = FLOORS_OF_CAPABILITIES.find((one) => path.startsWith(`${one}/`));
      const [folder, ...rest] = floor === undefined ? [] : path.slice(floor.length + 1).split('/');
      return rest.length > 0 ? [`${floor}/${folder}`] : [];
    }),
  );
  const allowed = new Set([
    ...OTHER_FOLDERS,
    ...FLOORS_OF_CAPABILITIES.flatMap((floor) => CAPABILITIES.map((word) => `${floor}/${word}`)),
  ]);
  return [
    ...[...folders].filter((folder) => !allowed.has(folder)).map((folder) => `${folder} is named after no capability`),
    ...CAPABILITIES.filter((word) => FLOORS_OF_CAPABILITIES.every((floor) => !folders.has(`${floor}/${word}`))).map(
      (word) => `no floor has a folder ${word}`,
    ),
  ];
}
