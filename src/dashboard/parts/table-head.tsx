interface TableHeadProps {
  readonly titles: readonly string[];
  /** Those of them above numbers. */
  readonly numbers?: readonly string[];
  /** What a last column is for that has controls and no title. */
  readonly controls?: string;
}

/** The titles of the columns of a table. */
export function TableHead({ titles, numbers = [], controls }: TableHeadProps) {
  return (
    <thead>
      <tr>
        {titles.map((title, i) => (
          // Titles of a user may be the same.
          <th key={i} scope="col" class={numbers.includes(title) ? 'number' : undefined}>
            {title}
          </th>
        ))}
        {controls !== undefined && (
          <th scope="col">
            <span class="visually-hidden">{controls}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}
