import { StopReason } from '../../../../../clients/typescript/src/index.ts';
import { askedOf, chanceWithRange, sureText } from '../../../../presentation/asked.ts';
import type { Head } from '../../../../presentation/columns.ts';
import { counted } from '../../../../presentation/formats.ts';
import { InputValues } from '../by-hand/input-values.tsx';
import type { Run } from '../state/history.ts';
import './standing.css';

/** The probability that the best input meets the targets, and the search options. Empty without either. */
export function Standing({ run }: { readonly run: Run }) {
  const head = run.head.value;
  const asked = askedOf(head);
  if (asked.length === 0) return null;
  return (
    <section aria-labelledby="standing-title">
      <h2 id="standing-title">
        {sureText(head) === undefined ? 'Search options' : 'Probability of meeting the targets'}
      </h2>
      {sureText(head) !== undefined && <Chances head={head} />}
      <ul class="standing-asked hint">
        {asked.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  );
}

function Chances({ head }: { readonly head: Head }) {
  const { standing } = head;
  if (standing === null) return <p class="hint">The probabilities will be computed with the next suggestion.</p>;
  return (
    <>
      <p>At the best input after {counted(standing.runs, 'run')}:</p>
      <dl class="standing">
        <div>
          <dt>A new run meets all targets</dt>
          <dd title={String(standing.run.value)}>{chanceWithRange(standing.run)}</dd>
        </div>
        <div>
          <dt>The means of the outputs meet all targets</dt>
          <dd title={String(standing.mean.value)}>{chanceWithRange(standing.mean)}</dd>
        </div>
      </dl>
      {/* For an ended objective the input is shown above. */}
      {head.stopReason === StopReason.RUNNING && <InputValues head={head} input={standing.input} />}
    </>
  );
}
