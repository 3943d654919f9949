interface TableHeadProps {
  readonly titles: readonly string[];
  /** The titles of columns of numbers. */
  readonly numbers?: readonly string[];
  /** The purpose of a last column with controls, which has no visible title. */
  readonly controls?: string;
}

/** The titles of the columns of a table. */
export function TableHead({ titles, numbers = [], controls }: TableHeadProps) {
  return (
    <thead>
      <tr>
        {titles.map((title, i) => (
          // Titles from users may repeat.
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
