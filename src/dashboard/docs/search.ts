/**
 * The search box of /docs. The index is loaded when the box is first used. Results are links below the box, so that Tab and the arrow keys reach them; a status gives their number.
 */
import MiniSearch from 'minisearch';

interface Found {
  readonly id: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
  /** Words of the documentation that matched. */
  readonly terms: readonly string[];
}

const MOST = 20;
/** Characters of a snippet before the match. */
const BEFORE = 60;
const LENGTH = 180;

const form = document.querySelector<HTMLFormElement>('#search')!;
const box = form.querySelector('input')!;
const panel = document.querySelector<HTMLElement>('#found')!;
const status = panel.querySelector<HTMLElement>('[role="status"]')!;
const list = panel.querySelector<HTMLElement>('ol')!;
const address = form.dataset['index']!;

let index: Promise<MiniSearch> | undefined;

/** Fetched once; after a failure the next search tries again. */
function loadIndex(): Promise<MiniSearch> {
  index ??= fetchIndex().catch((error) => {
    index = undefined;
    throw error;
  });
  return index;
}

async function fetchIndex(): Promise<MiniSearch> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  const fields = ['title', 'heading', 'text'];
  return MiniSearch.loadJSON(await answer.text(), { fields, storeFields: fields });
}

/** Sections with all the words, of which the last may be unfinished; else with words like them; else with any of those. */
function find(known: MiniSearch, query: string): readonly Found[] {
  const boost = { title: 2, heading: 3 };
  const fuzzy = (term: string) => (term.length > 4 ? 0.2 : false);
  const ways = [
    { prefix: true, combineWith: 'AND' },
    { prefix: true, combineWith: 'AND', fuzzy },
    { prefix: true, fuzzy },
  ] as const;
  for (const way of ways) {
    const results = known.search(query, { ...way, boost });
    if (results.length > 0) return results.slice(0, MOST) as unknown as readonly Found[];
  }
  return [];
}

async function search(): Promise<void> {
  const query = box.value.trim();
  if (query === '') return close();
  let found: readonly Found[];
  try {
    found = find(await loadIndex(), query);
  } catch {
    show('The search could not be loaded. Type again to retry.', []);
    return;
  }
  // The user typed more while the index was loading.
  if (query !== box.value.trim()) return;
  show(countText(found.length, query), found);
}

function countText(count: number, query: string): string {
  switch (count) {
    case 0:
      return `No results for “${query}”.`;
    case 1:
      return '1 result';
    case MOST:
      return `The best ${MOST} results`;
    default:
      return `${count} results`;
  }
}

function show(text: string, found: readonly Found[]): void {
  panel.hidden = false;
  status.textContent = text;
  list.replaceChildren(...found.map(itemOf));
  panel.scrollTop = 0;
}

function close(): void {
  panel.hidden = true;
  list.replaceChildren();
  status.textContent = '';
}

function itemOf({ id, title, heading, text, terms }: Found): HTMLElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = id;
  link.textContent = heading === '' ? title : `${heading} – ${title}`;
  const words = document.createElement('p');
  words.append(...snippetOf(text, terms));
  item.append(link, words);
  return item;
}

/** The text around the first match, with all matches marked. */
function snippetOf(text: string, terms: readonly string[]): readonly (string | HTMLElement)[] {
  const words = terms.map((term) => term.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${words.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
  const first = Math.max(0, text.search(pattern));
  const from = first < BEFORE ? 0 : text.indexOf(' ', first - BEFORE) + 1;
  const to = text.length <= from + LENGTH ? text.length : text.lastIndexOf(' ', from + LENGTH);
  const parts = text.slice(from, Math.max(to, first)).split(pattern);
  const marked = parts.map((part, i) => {
    if (i % 2 === 0) return part;
    const mark = document.createElement('mark');
    mark.textContent = part;
    return mark;
  });
  return [from > 0 ? '… ' : '', ...marked, to < text.length ? ' …' : ''];
}

/** From the box down to the links, and back. */
function move(by: 1 | -1): void {
  const stops = [box, ...list.querySelectorAll('a')];
  const at = stops.indexOf(document.activeElement as HTMLAnchorElement);
  stops[Math.min(Math.max(at + by, 0), stops.length - 1)]?.focus();
}

form.hidden = false;
box.addEventListener('focus', () => void loadIndex().catch(() => undefined), { once: true });
box.addEventListener('input', () => void search());
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const first = list.querySelector('a');
  if (first !== null) first.click();
  else void search();
});
for (const part of [form, panel]) {
  part.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      move(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Escape' && !panel.hidden) {
      event.preventDefault();
      close();
      box.focus();
    }
  });
}
list.addEventListener('click', (event) => {
  // A link within this page loads no page, so nothing else closes the results.
  if ((event.target as Element).closest('a') !== null) close();
});
document.addEventListener('pointerdown', ({ target }) => {
  if (target instanceof Node && !form.contains(target) && !panel.contains(target)) close();
});
document.addEventListener('keydown', (event) => {
  const isTyping = (event.target as Element).closest('input, textarea, select, [contenteditable]') !== null;
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  box.focus();
});
