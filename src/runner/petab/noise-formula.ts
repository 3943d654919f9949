/** Formulas of PEtab that come to a number, or to a number of times one unknown name, as noise formulas do. */

/** A number, the one unknown name with its factor, or undefined for anything else. */
export type FormulaValue = number | { readonly unknown: string; readonly factor: number } | undefined;

/** @param known  the values of names; a text stands for another name */
export function evaluateFormula(formula: string, known: ReadonlyMap<string, number | string>): FormulaValue {
  const tokens =
    formula.match(/\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|[A-Za-z_]\w*|\*\*|[-+*/^(),]|\S/g) ?? [];
  const reader = new FormulaReader(tokens, known);
  const value = reader.sum();
  return reader.isAtEnd && hasFiniteValue(value) ? value : undefined;
}

/** The names that a formula has, functions not among them. */
export function namesIn(formula: string): readonly string[] {
  return [...formula.matchAll(/(?<![\w.])[A-Za-z_]\w*(?!\w|\s*\()/g)].map(([name]) => name);
}

function hasFiniteValue(value: FormulaValue): boolean {
  return value !== undefined && Number.isFinite(typeof value === 'number' ? value : value.factor);
}

/** A name that stands for itself would never end. */
function withoutName(known: ReadonlyMap<string, number | string>, name: string) {
  return new Map([...known].filter(([one]) => one !== name));
}

/** Those of PEtab that noise is likely to have; `log` is the natural logarithm, or has its base as the second argument. */
const FUNCTIONS: Readonly<Record<string, { readonly most: number; readonly of: (...values: number[]) => number }>> = {
  exp: { most: 1, of: Math.exp },
  ln: { most: 1, of: Math.log },
  log: { most: 2, of: (x, base) => (base === undefined ? Math.log(x!) : Math.log(x!) / Math.log(base)) },
  log2: { most: 1, of: Math.log2 },
  log10: { most: 1, of: Math.log10 },
  sqrt: { most: 1, of: Math.sqrt },
  abs: { most: 1, of: Math.abs },
  sign: { most: 1, of: Math.sign },
  pow: { most: 2, of: (base, exponent) => base! ** exponent! },
  min: { most: 2, of: Math.min },
  max: { most: 2, of: Math.max },
};
const LEAST: Readonly<Record<string, number>> = { pow: 2, min: 2, max: 2 };

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

  sum(): FormulaValue {
    let value = this.#product();
    while (value !== undefined && (this.#next === '+' || this.#next === '-')) {
      const isSum = this.#take() === '+';
      const other = this.#product();
      value = added(value, isSum ? other : times(other, -1));
    }
    return value;
  }

  #product(): FormulaValue {
    let value = this.#signed();
    while (value !== undefined && (this.#next === '*' || this.#next === '/')) {
      const isProduct = this.#take() === '*';
      const other = this.#signed();
      if (isProduct) value = multiplied(value, other);
      else value = typeof other === 'number' ? times(value, 1 / other) : undefined;
    }
    return value;
  }

  #signed(): FormulaValue {
    if (this.#next !== '-' && this.#next !== '+') return this.#power();
    const factor = this.#take() === '-' ? -1 : 1;
    return times(this.#signed(), factor);
  }

  #power(): FormulaValue {
    const base = this.#atom();
    if (base === undefined || (this.#next !== '^' && this.#next !== '**')) return base;
    this.#take();
    const exponent = this.#signed();
    if (exponent === 1) return base;
    return typeof base === 'number' && typeof exponent === 'number' ? base ** exponent : undefined;
  }

  #atom(): FormulaValue {
    const token = this.#take();
    if (token === undefined) return undefined;
    if (token === '(') {
      const value = this.sum();
      return this.#take() === ')' ? value : undefined;
    }
    if (/^[\d.]/.test(token)) return Number(token);
    if (!/^[A-Za-z_]/.test(token)) return undefined;
    if (this.#next === '(') return this.#called(token);
    const value = this.#known.get(token);
    if (value === undefined) return { unknown: token, factor: 1 };
    return typeof value === 'number' ? value : evaluateFormula(value, withoutName(this.#known, token));
  }

  #called(name: string): FormulaValue {
    const values: FormulaValue[] = [];
    do {
      this.#take();
      values.push(this.sum());
    } while (this.#next === ',');
    const called = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name]! : undefined;
    if (this.#take() !== ')' || called === undefined) return undefined;
    if (values.length > called.most || values.length < (LEAST[name] ?? 1)) return undefined;
    return values.every((value) => typeof value === 'number') ? called.of(...values) : undefined;
  }

  get #next(): string | undefined {
    return this.#tokens[this.#at];
  }

  #take(): string | undefined {
    return this.#tokens[this.#at++];
  }
}

function times(value: FormulaValue, factor: number): FormulaValue {
  if (value === undefined || typeof value === 'number') return value === undefined ? undefined : value * factor;
  return { unknown: value.unknown, factor: value.factor * factor };
}

function multiplied(one: FormulaValue, other: FormulaValue): FormulaValue {
  if (typeof one === 'number') return times(other, one);
  return typeof other === 'number' ? times(one, other) : undefined;
}

function added(one: FormulaValue, other: FormulaValue): FormulaValue {
  if (one === 0) return other;
  if (other === 0) return one;
  if (typeof one === 'number' || one === undefined)
    return typeof other === 'number' && one !== undefined ? one + other : undefined;
  if (typeof other === 'number' || other === undefined || one.unknown !== other.unknown) return undefined;
  return { unknown: one.unknown, factor: one.factor + other.factor };
}
