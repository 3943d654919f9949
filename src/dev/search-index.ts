/** The index of the search in the documentation: a record per section of a guide and per operation of the reference. */
import MiniSearch, { type Options } from 'minisearch';
import { addressOf, type Guide } from './render-guide.ts';

interface SearchRecord {
  /** The address of the section. */
  readonly id: string;
  /** The title of the guide. */
  readonly title: string;
  /** The heading of the section; empty above the first one. */
  readonly heading: string;
  readonly text: string;
}

/** The part of an OpenAPI document that is searched. */
export interface SearchedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, SearchedOperation>>>>;
}

interface SearchedOperation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
}

const OPTIONS: Options<SearchRecord> = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'text'],
};

/** As JSON, for `MiniSearch.loadJSON` with the fields of OPTIONS in src/dashboard/docs/search.ts. */
export function buildSearchIndex(guides: readonly Guide[], document: SearchedDocument): string {
  const index = new MiniSearch(OPTIONS);
  index.addAll(guides.flatMap(sectionsOf));
  index.addAll(operationsOf(document));
  return JSON.stringify(index);
}

function sectionsOf({ name, title, sections }: Guide): readonly SearchRecord[] {
  const address = addressOf(name);
  return sections.map(({ id, heading, text }) => ({
    id: id === '' ? address : `${address}#${id}`,
    title,
    heading,
    text,
  }));
}

/** At the anchors that the library of the reference gives them. */
function operationsOf({ paths }: SearchedDocument): readonly SearchRecord[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { tags, summary, description }]) => {
      if (tags?.[0] === undefined || summary === undefined) return [];
      const tag = tags[0].toLowerCase().replaceAll(' ', '-');
      const call = `${method.toUpperCase()} ${path}`;
      return [
        {
          id: `/docs#tag/${tag}/${call.replace(' ', '')}`,
          title: 'Reference',
          heading: summary,
          text: `${call} ${description ?? ''}`.trim(),
        },
      ];
    }),
  );
}
