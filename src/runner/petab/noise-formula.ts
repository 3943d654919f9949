/** Noise formulas of PEtab that come to a number: sums, products, powers and parentheses of numbers and known names. */

/** A number, the one unknown name that the formula consists of, or undefined for anything else. */
export type NoiseValue = number | { readonly unknown: string } | undefined;

/** @param known  the values of names; a text stands for another name */
export function evaluateNoise(formula: string, known: ReadonlyMap<string, number | string>): NoiseValue {
  const name = /^\s*\(?\s*([A-Za-z_]\w*)\s*\)?\s*$/.exec(formula)?.[1];
  if (name !== undefined) {
    const value = known.get(name);
    if (value === undefined) return { unknown: name };
    return typeof value === 'number' ? value : evaluateNoise(value, withoutName(known, name));
  }
  const tokens =
    formula.match(/\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|[A-Za-z_]\w*|\*\*|[-+*/^()]|\S/g) ?? [];
  const reader = new FormulaReader(tokens, known);
  const value = reader.sum();
  return reader.isAtEnd && value !== undefined && Number.isFinite(value) ? value : undefined;
}

/** A name that stands for itself would never end. */
function withoutName(known: ReadonlyMap<string, number | string>, name: string) {
  return new Map([...known].filter(([one]) => one !== name));
}

class FormulaReader {
  readonly #tokens: readonly string[];
  readonly #known: ReadonlyMap<string, number | string>;
  #at = 0;

  constructor(tokens: readonly string[], known: ReadonlyMap<string, number | string>) {
    this.#tokens = tokens;
    this.#known = known;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  sum(): number | undefined {
    let value = this.#product();
    while (value !== undefined && (this.#next === '+' || this.#next === '-')) {
      const sign = this.#take() === '+' ? 1 : -1;
      const other = this.#product();
      value = other === undefined ? undefined : value + sign * other;
    }
    return value;
  }

  #product(): number | undefined {
    let value = this.#signed();
    while (value !== undefined && (this.#next === '*' || this.#next === '/')) {
      const isProduct = this.#take() === '*';
      const other = this.#signed();
      value = other === undefined ? undefined : isProduct ? value * other : value / other;
    }
    return value;
  }

  #signed(): number | undefined {
    if (this.#next !== '-') return this.#power();
    this.#take();
    const value = this.#signed();
    return value === undefined ? undefined : -value;
  }

  #power(): number | undefined {
    const base = this.#atom();
    if (base === undefined || (this.#next !== '^' && this.#next !== '**')) return base;
    this.#take();
    const exponent = this.#signed();
    return exponent === undefined ? undefined : base ** exponent;
  }

  #atom(): number | undefined {
    const token = this.#take();
    if (token === undefined) return undefined;
    if (token === '(') {
      const value = this.sum();
      return this.#take() === ')' ? value : undefined;
    }
    if (/^[\d.]/.test(token)) return Number(token);
    const value = evaluateNoise(token, this.#known);
    return typeof value === 'number' ? value : undefined;
  }

  get #next(): string | undefined {
    return this.#tokens[this.#at];
  }

  #take(): string | undefined {
    return this.#tokens[this.#at++];
  }
}
