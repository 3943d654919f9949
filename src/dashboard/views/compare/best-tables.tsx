/** The best runs of the objectives: their outputs beside the targets, and their inputs. */
import { counted } from '../../../presentation/formats.ts';
import { Strip } from '../../parts/strip.tsx';
import { Link } from '../../shell/link.tsx';
import { bestSource, type Compared, inputRows, type OutputCell, outputRows } from './comparison.ts';
import { SeriesKey } from './series.tsx';

const STATES = ['Running', 'Satisfied', 'Stopped', 'Exhausted'] as const;

interface TableProps {
  readonly compared: readonly Compared[];
}

export function BestOutputs({ compared }: TableProps) {
  const rows = outputRows(compared);
  const differing = rows.filter(({ areTargetsSame }) => !areTargetsSame).length;
  return (
    <section aria-labelledby="best-outputs">
      <h2 id="best-outputs">Outputs of the best runs</h2>
      <p class="hint">
        {differing === 0
          ? 'All have the same targets.'
          : `${differing} of ${counted(rows.length, 'output has', 'outputs have')} different targets.`}
      </p>
      <div class="scroll-box">
        <table class="best">
          <Heads compared={compared} first="Output" />
          <tbody>
            {rows.map(({ title, areTargetsSame, cells }) => (
              <tr key={title}>
                <th scope="row">
                  {title}
                  {!areTargetsSame && <span class="differs">different targets</span>}
                </th>
                {cells.map((cell, k) => (
                  <td key={compared[k]!.id}>
                    {cell === null ? <span class="hint">no such output</span> : <Output cell={cell} title={title} />}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** @param isMet  null for an output that is fitted to data */
function verdictOf(isMet: boolean | null) {
  if (isMet === null) return { look: 'hint', verdict: 'fitted' };
  return isMet ? { look: 'met', verdict: 'met' } : { look: 'unmet', verdict: 'not met' };
}

function Output({ cell, title }: { readonly cell: OutputCell; readonly title: string }) {
  const { shown, isMet, value, interval } = cell;
  const { look, verdict } = verdictOf(isMet);
  const words = shown === null ? `${title}: no run yet` : `${title}: ${shown.text}, ${verdict}; wanted ${cell.wanted}`;
  return (
    <>
      <span class="value">
        {shown === null ? '–' : <span title={shown.full}>{shown.text}</span>}
        {shown !== null && <span class={look}> {verdict}</span>}
      </span>
      {isMet !== null && (
        <Strip
          label={words}
          seen={undefined}
          lower={interval.lower}
          upper={interval.upper}
          best={value ?? undefined}
          latest={undefined}
        />
      )}
      <span class="hint">{cell.wanted}</span>
    </>
  );
}

export function BestInputs({ compared }: TableProps) {
  return (
    <section aria-labelledby="best-inputs">
      <h2 id="best-inputs">Inputs of the best runs</h2>
      <div class="scroll-box">
        <table class="best">
          <Heads compared={compared} first="Input" />
          <tbody>
            {inputRows(compared).map(({ title, cells, isSame }) => (
              <tr key={title}>
                <th scope="row">
                  {title}
                  {isSame && <span class="same">the same</span>}
                </th>
                {cells.map((cell, k) => (
                  <td key={compared[k]!.id} class="number" title={cell?.full}>
                    {cell?.text ?? '–'}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Heads({ compared, first }: TableProps & { readonly first: string }) {
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        {compared.map(({ id, label, head }, k) => (
          <th key={id} scope="col">
            <SeriesKey of={k} />
            <Link to={`/page/objectives/${id}`}>{label}</Link>
            <span class="hint">
              {STATES[head.stopReason]}, {bestSource(head)}
            </span>
          </th>
        ))}
      </tr>
    </thead>
  );
}
