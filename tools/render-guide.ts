/** A Markdown file of docs as HTML, with anchors like GitHub's. Links to other guides, pictures and documents lead to where they are served. */
import { posix } from 'node:path';
import { Marked, type Tokens, type TokensList } from 'marked';
import { getHeadingList, gfmHeadingId, type HeadingData } from 'marked-gfm-heading-id';

export interface Guide {
  /** In its address: /docs/guides/NAME; empty for the list of guides. */
  readonly name: string;
  /** Plain text. */
  readonly title: string;
  /** Whether it is a tour of a task rather than a reference page. */
  readonly isTour: boolean;
  readonly html: string;
  /** Headings of the levels 2 and 3. */
  readonly headings: readonly { readonly id: string; readonly html: string; readonly level: number }[];
  /** All of its text: the part above the first of these headings, then the part below each of them. */
  readonly sections: readonly GuideSection[];
}

interface GuideSection {
  /** The anchor; empty above the first heading. */
  readonly id: string;
  /** Plain text, as below. */
  readonly heading: string;
  readonly text: string;
}

/** Files that are served at other addresses, by path in the repository. */
const SERVED: ReadonlyMap<string, string> = new Map([
  ['docs/openapi.json', '/v1/openapi.json'],
  ['docs/openapi-sdk.json', '/api/openapi.json'],
]);

/** `file` is a path in the repository; `known` has the name of each guide by its path. */
export function readGuide(file: string, text: string, known: ReadonlyMap<string, string>): Guide {
  const marked = new Marked(gfmHeadingId());
  marked.use({
    renderer: {
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const to = resolve(file, href, known);
        return to === undefined ? inner : `<a href="${escapeHtml(to)}">${inner}</a>`;
      },
      image({ href, text: alt }) {
        const to = resolve(file, href, known);
        if (to === undefined) throw new Error(`${file}: the picture ${href} is not served`);
        return `<img src="${escapeHtml(to)}" alt="${escapeHtml(alt)}">`;
      },
      // Wide tables scroll in their box, which the keyboard can reach.
      table(token) {
        const row = (cells: readonly { readonly tokens: (typeof token.header)[number]['tokens'] }[], tag: string) =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const rows = token.rows.map((cells) => row(cells, 'td')).join('');
        return `<div class="scroll-box" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${rows}</tbody></table></div>\n`;
      },
      code({ text: code }) {
        return `<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>\n`;
      },
    },
  });
  const html = marked.parse(text, { async: false });
  const headings = getHeadingList();
  const title = headings.find(({ level }) => level === 1)?.raw;
  if (title === undefined) throw new Error(`${file} has no title`);
  return {
    name: known.get(file)!,
    title: title.replaceAll('`', ''),
    isTour: file.startsWith('docs/guides/'),
    html,
    headings: headings.flatMap(({ id, text: inner, level }) =>
      level === 2 || level === 3 ? [{ id, html: inner.replaceAll(/<\/?a\b[^>]*>/g, ''), level }] : [],
    ),
    sections: readSections(marked.lexer(text), headings),
  };
}

function readSections(tokens: TokensList, headings: readonly HeadingData[]): readonly GuideSection[] {
  const sections = [{ id: '', heading: '', texts: [] as string[] }];
  let count = 0;
  for (const token of tokens) {
    if (token.type === 'heading') {
      const { id, level } = headings[count++]!;
      if (level === 2 || level === 3) sections.push({ id, heading: plainText(token.raw), texts: [] });
    } else {
      sections.at(-1)!.texts.push(token.type === 'code' ? (token as Tokens.Code).text : plainText(token.raw));
    }
  }
  return sections.map(({ id, heading, texts }) => ({
    id,
    heading,
    text: texts.join(' ').replaceAll(/\s+/g, ' ').trim(),
  }));
}

/** Markdown without markup, for the search and its snippets. */
function plainText(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^#+ |^> ?|^\s*[-*] |`|\*\*/gm, '')
    .replaceAll(/^\|[\s|:-]+\|$/gm, '')
    .replaceAll(/(?<!\\)\|/g, ' ')
    .replaceAll(/\\([|\\*_])/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** `name` is that of the guide; empty for the list of all. */
export function addressOf(name: string): string {
  return name === '' ? '/docs/guides' : `/docs/guides/${name}`;
}

function servedAt(target: string, known: ReadonlyMap<string, string>): string | undefined {
  const name = known.get(target);
  if (name !== undefined) return addressOf(name);
  const picture = /^docs\/pictures\/([^/]+)$/.exec(target)?.[1];
  return picture === undefined ? SERVED.get(target) : `/docs/pictures/${picture}`;
}

/** The target of a link; undefined if it is not served. */
function resolve(file: string, href: string, known: ReadonlyMap<string, string>): string | undefined {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = posix.join(posix.dirname(file), path);
  const address = servedAt(target, known);
  if (address === undefined) return undefined;
  return anchor === undefined ? address : `${address}#${anchor}`;
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
