/** The index of the search in the documentation: a record per section of a guide and per operation of the reference. */
import MiniSearch, { type Options } from 'minisearch';
import { addressOf, type Guide } from './render-guide.ts';
import { type ApiDocument, type Operation, operationAnchor, operationsOf, tagInAddress } from './render-reference.ts';

interface SearchRecord {
  /** The address of the section. */
  readonly id: string;
  /** The title of the guide. */
  readonly title: string;
  /** The heading of the section; empty above the first one. */
  readonly heading: string;
  readonly text: string;
}

const OPTIONS: Options<SearchRecord> = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'text'],
};

/** As JSON, for `MiniSearch.loadJSON` with the fields of OPTIONS in src/dashboard/docs/search.ts. */
export function buildSearchIndex(guides: readonly Guide[], document: ApiDocument): string {
  const index = new MiniSearch(OPTIONS);
  index.addAll(guides.flatMap(sectionsOf));
  index.addAll(operationsOf(document).map(recordOf));
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

function recordOf(operation: Operation): SearchRecord {
  const { tags, summary, description = '', method, path } = operation;
  return {
    id: `/docs/v1/${tagInAddress(tags[0]!)}#${operationAnchor(operation)}`,
    title: 'Reference',
    heading: summary,
    text: `${method.toUpperCase()} ${path} ${description}`.trim(),
  };
}
