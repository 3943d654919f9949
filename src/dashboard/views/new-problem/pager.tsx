/** Pages through rows or columns that are too many to be drawn together. */
interface PagerProps {
  readonly what: string;
  readonly count: number;
  readonly size: number;
  readonly from: number;
  onFrom(from: number): void;
}

export function Pager({ what, count, size, from, onFrom }: PagerProps) {
  if (count <= size) return null;
  return (
    <span class="pager">
      {what} {from + 1} to {Math.min(count, from + size)} of {count}{' '}
      <button
        type="button"
        aria-label={`Earlier ${what.toLowerCase()}`}
        disabled={from === 0}
        onClick={() => onFrom(from - size)}
      >
        ←
      </button>
      <button
        type="button"
        aria-label={`Later ${what.toLowerCase()}`}
        disabled={from + size >= count}
        onClick={() => onFrom(from + size)}
      >
        →
      </button>
    </span>
  );
}
