/** Pages of a PDF with a cursor: measures and writes text, and begins another page where something does not fit. */
import { createHash } from 'node:crypto';
import { zlibSync } from 'fflate';
import PDFDocument from 'pdfkit';
import { PAPER } from '../presentation/colours.ts';
import { type Picture, TEXT_SIZE } from '../presentation/drawing.ts';
import { makeCleaner } from './known-letters.ts';

/** A4, in points. */
const PAGE = { width: 595.28, height: 841.89 };
const MARGIN = { side: 42, top: 42, bottom: 52 };
export const LEFT = MARGIN.side;
export const WIDTH = PAGE.width - 2 * MARGIN.side;
const END = PAGE.height - MARGIN.bottom;
const FOOTER_SIZE = 7.5;
/** Height of a line, in sizes of its text. */
const LEADING = 1.32;

type Font = 'regular' | 'bold';

export interface Fonts {
  readonly regular: Uint8Array;
  readonly bold: Uint8Array;
}

export interface Style {
  readonly font: Font;
  readonly size: number;
  readonly colour: string;
}

export const lineHeight = (size: number) => size * LEADING;

/** Parts of pdfkit that its types leave out. */
interface Internals {
  _id: Uint8Array;
  readonly _font: { readonly font: { hasGlyphForCodePoint(code: number): boolean } };
}

interface Reference {
  buffer: Uint8Array[];
  readonly data: { Filter?: string };
  finalize(): void;
}

export class PdfPages {
  readonly #document: PDFKit.PDFDocument;
  readonly #chunks: Uint8Array[] = [];
  readonly #ended: Promise<void>;
  readonly #widths = new Map<string, number>();
  readonly #content = createHash('sha256');
  readonly #clean: (text: string) => string;
  y = MARGIN.top;

  constructor(title: string, changedAt: string, fonts: Fonts) {
    const made = new Date(changedAt);
    const document = new PDFDocument({
      size: [PAGE.width, PAGE.height],
      margin: 0,
      autoFirstPage: false,
      bufferPages: true,
      // By the library below: that of Node writes other bytes on other processors.
      compress: false,
      font: null as unknown as string,
      lang: 'en',
      displayTitle: true,
      info: { Title: title, Creator: 'Backsolve', Producer: 'Backsolve', CreationDate: made, ModDate: made },
    });
    this.#document = document;
    compressBy(document);
    document.on('data', (chunk: Uint8Array) => this.#chunks.push(chunk));
    this.#ended = new Promise((resolve, reject) => document.on('end', resolve).on('error', reject));
    document.registerFont('regular', fonts.regular as Buffer).registerFont('bold', fonts.bold as Buffer);
    document.font('bold');
    const bold = (document as unknown as Internals)._font.font;
    document.font('regular');
    const regular = (document as unknown as Internals)._font.font;
    this.#clean = makeCleaner((code) => regular.hasGlyphForCodePoint(code) && bold.hasGlyphForCodePoint(code));
    this.#addPage();
  }

  #addPage(): void {
    this.#document.addPage();
    this.y = MARGIN.top;
  }

  /** Begins another page unless so much is left of this one. True if it did. */
  ensure(height: number): boolean {
    if (this.y + height <= END || this.y === MARGIN.top) return false;
    this.#addPage();
    return true;
  }

  widthOf(text: string, { font, size }: Style): number {
    const key = `${font} ${text}`;
    let width = this.#widths.get(key);
    if (width === undefined) {
      width = this.#document.font(font).fontSize(100).widthOfString(text) / 100;
      this.#widths.set(key, width);
    }
    return width * size;
  }

  /** The lines of a text, with what no letter is there for replaced. Words that are too long are broken. */
  wrap(text: string, style: Style, width: number): readonly string[] {
    const lines: string[] = [];
    let line = '';
    for (const word of this.#clean(text).split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (this.widthOf(longer, style) <= width) {
        line = longer;
        continue;
      }
      if (line !== '') lines.push(line);
      line = word;
      while (this.widthOf(line, style) > width) {
        const head = this.#headOf(line, style, width);
        lines.push(head);
        line = line.slice(head.length);
      }
    }
    lines.push(line);
    return lines;
  }

  /** As many characters as fit, at least one. */
  #headOf(word: string, style: Style, width: number): string {
    const characters = [...word];
    let [low, high] = [1, characters.length];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.widthOf(characters.slice(0, middle).join(''), style) <= width) low = middle;
      else high = middle - 1;
    }
    return characters.slice(0, low).join('');
  }

  /** Writes a line of wrapped text with its upper edge at y. */
  write(line: string, x: number, y: number, { font, size, colour }: Style): void {
    if (line === '') return;
    this.#content.update(`${line} ${x} ${y} `);
    this.#document.font(font).fontSize(size).fillColor(colour).text(line, x, y, { lineBreak: false });
  }

  /** Writes a text at the cursor and moves it below. */
  paragraph(text: string, style: Style, indent = 0): void {
    const height = lineHeight(style.size);
    for (const line of this.wrap(text, style, WIDTH - indent)) {
      this.ensure(height);
      this.write(line, LEFT + indent, this.y, style);
      this.y += height;
    }
  }

  box(x: number, y: number, width: number, height: number, colour: string): void {
    this.#document.rect(x, y, width, height).fill(colour);
  }

  rule(x: number, y: number, width: number): void {
    this.#document
      .moveTo(x, y)
      .lineTo(x + width, y)
      .lineWidth(0.5)
      .stroke(PAPER.line);
  }

  bookmark(text: string): void {
    this.#document.outline.addItem(this.#clean(text));
  }

  /** @param width  of the picture on the page */
  picture({ width: pixels, shapes }: Picture, x: number, y: number, width: number): void {
    const document = this.#document;
    const scale = width / pixels;
    document.save().translate(x, y).scale(scale);
    for (const shape of shapes) {
      if ('d' in shape) {
        if (shape.d === '') continue;
        this.#content.update(shape.d);
        document.save();
        if (shape.by !== undefined) document.translate(...shape.by);
        document
          .opacity(shape.opacity ?? 1)
          .lineWidth(shape.width ?? 1)
          .lineJoin('round')
          .path(shape.d);
        if (shape.dash !== undefined && shape.dash.length > 0)
          document.dash(shape.dash[0]!, { space: shape.dash[1] ?? shape.dash[0]! });
        if (shape.fill !== undefined) document.fill(shape.fill);
        else document.stroke(shape.stroke ?? PAPER.text);
        document.restore();
        continue;
      }
      const style: Style = { font: 'regular', size: TEXT_SIZE, colour: shape.colour };
      const text = this.#clean(shape.text);
      const half = this.widthOf(text, style) * { start: 0, middle: 0.5, end: 1 }[shape.anchor];
      document.save();
      if (shape.isUpright) document.rotate(-90, { origin: [shape.x, shape.y] });
      this.#content.update(text);
      document
        .font('regular')
        .fontSize(TEXT_SIZE)
        .fillColor(shape.colour)
        .text(text, shape.x - half, shape.y, { lineBreak: false, baseline: 'alphabetic' });
      document.restore();
    }
    document.restore();
  }

  /** The file, with the title and the number of each page at its foot. */
  async finish(title: string): Promise<Uint8Array<ArrayBuffer>> {
    const document = this.#document;
    const { count } = document.bufferedPageRange();
    const style: Style = { font: 'regular', size: FOOTER_SIZE, colour: PAPER.muted };
    const [name = ''] = this.wrap(title, style, WIDTH - 80);
    for (let page = 0; page < count; page++) {
      document.switchToPage(page);
      const number = `${page + 1} / ${count}`;
      this.write(name, LEFT, END + 18, style);
      this.write(number, LEFT + WIDTH - this.widthOf(number, style), END + 18, style);
    }
    // Its own would follow from the time and the title alone.
    (document as unknown as Internals)._id = this.#content.digest().subarray(0, 16);
    document.end();
    await this.#ended;
    return Buffer.concat(this.#chunks);
  }
}

function compressBy(document: PDFKit.PDFDocument): void {
  const makers = document as unknown as { ref(data: unknown): Reference };
  const make = makers.ref.bind(document);
  makers.ref = (data) => {
    const reference = make(data);
    const finalize = reference.finalize.bind(reference);
    reference.finalize = () => {
      if (reference.buffer.length > 0 && reference.data.Filter === undefined) {
        reference.buffer = [zlibSync(Buffer.concat(reference.buffer))];
        reference.data.Filter = 'FlateDecode';
      }
      finalize();
    };
    return reference;
  };
}
