import type { Head } from '../../../../presentation/columns.ts';
import { short } from '../../../../presentation/formats.ts';
import { outputNames } from '../../../../presentation/values.ts';

/** The points that fit worst, the worst first. */
export function WorstPoints({ head }: { readonly head: Head }) {
  if (head.fit == null) return null;
  const names = outputNames(head);
  return (
    <>
      <h3>Points that fit worst</h3>
      <ul>
        {head.fit.worst.map(({ output, value, fitted, residual }) => (
          <li key={output}>
            {names[output]}: measured {short(value)}, best run {short(fitted)},{' '}
            {short(Number(Math.abs(residual).toPrecision(3)))}{' '}
            {head.fits!.some(({ outputs, sigma }) => sigma === null && outputs.includes(output)) && 'estimated '}
            standard errors {residual > 0 ? 'too high' : 'too low'}
          </li>
        ))}
      </ul>
    </>
  );
}
