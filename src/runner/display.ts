/** Shows how a problem stands: redrawn in place on a terminal, a line per run elsewhere. */
import { type Look, renderStanding } from './display-lines.ts';
import { plain } from './plain-text.ts';
import type { Problem } from './problem.ts';
import type { Standing } from './standing.ts';

/** As much of a stream as a display needs; process.stdout is one. */
export interface Screen {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string): unknown;
}

export interface Display {
  /** Prints a line that a person should read even after the display is gone. */
  print(line: string): void;
  /** A run is over; a terminal shows it anyway. */
  printRun(line: string): void;
  /** Draws `read()` from time to time until the end. */
  follow(read: () => Standing): void;
  /** The last state stays on the screen. Idempotent. */
  end(): void;
}

const REDRAW_MS = 200;

export function makeDisplay(problem: Problem, screen: Screen, { hasColor }: Pick<Look, 'hasColor'>): Display {
  return screen.isTTY === true ? new LiveDisplay(problem, screen, hasColor) : new LineDisplay(screen);
}

class LineDisplay implements Display {
  readonly #screen: Screen;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  print(line: string): void {
    this.#screen.write(`${plain(line)}\n`);
  }

  printRun(line: string): void {
    this.#screen.write(`${plain(line)}\n`);
  }

  follow(): void {}

  end(): void {}
}

class LiveDisplay implements Display {
  readonly #problem: Problem;
  readonly #screen: Screen;
  readonly #hasColor: boolean;
  #read: (() => Standing) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #drawn: readonly string[] = [];

  constructor(problem: Problem, screen: Screen, hasColor: boolean) {
    this.#problem = problem;
    this.#screen = screen;
    this.#hasColor = hasColor;
  }

  print(line: string): void {
    const lines = this.#drawn;
    this.#drawn = [];
    this.#screen.write(`${above(lines.length)}\x1b[J${plain(line)}\n`);
    if (this.#read !== undefined) this.#draw();
  }

  printRun(): void {}

  follow(read: () => Standing): void {
    this.#read = read;
    this.#screen.write('\x1b[?25l');
    this.#draw();
    this.#timer = setInterval(() => this.#draw(), REDRAW_MS);
    this.#timer.unref();
  }

  end(): void {
    if (this.#read === undefined) return;
    this.#draw();
    clearInterval(this.#timer);
    this.#read = undefined;
    this.#drawn = [];
    this.#screen.write('\x1b[?25h');
  }

  /** One write, and only the lines that differ, so that nothing flickers. */
  #draw(): void {
    const { columns, rows } = this.#screen;
    // A terminal that does not know its size says 0.
    const look = { columns: (columns || 80) - 1, rows: rows || 24, hasColor: this.#hasColor };
    const lines = renderStanding(this.#problem, this.#read!(), look);
    const before = this.#drawn;
    let text = above(before.length);
    for (const [i, line] of lines.entries()) text += line === before[i] ? '\x1b[1B' : `\r\x1b[2K${line}\n`;
    if (before.length > lines.length) text += '\x1b[J';
    this.#drawn = lines;
    this.#screen.write(`${text}\r`);
  }
}

/** To the beginning of the line so many lines above. */
function above(lines: number): string {
  return lines === 0 ? '\r' : `\x1b[${lines}A\r`;
}
