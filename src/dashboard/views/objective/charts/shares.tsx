/** The share of each input in the variation of an output, as bars. */
import { useState } from 'preact/hooks';
import { inputNames, outputNames } from '../../../../presentation/values.ts';
import { percent, percentRange, sharesOf, trustOf } from '../insight/words.ts';
import { Chooser } from './chooser.tsx';
import type { ChartData } from './use-charts.ts';

const MOST_BARS = 20;

export function Shares({ data: { all } }: { readonly data: ChartData }) {
  const head = all.run.head.value;
  const { insight } = head;
  const [output, setOutput] = useState(all.order.value[0] ?? 0);
  if (insight === null) return null;
  const found = insight.outputs.find(({ number }) => number === output);
  const shares = found && sharesOf(found);
  const inputs = inputNames(head);
  return (
    <section class="charts-part" aria-labelledby="shares-title">
      <div class="section-head">
        <h2 id="shares-title">What matters</h2>
        <Chooser label="for" names={outputNames(head)} chosen={output} onChoose={(next = 0) => setOutput(next)} />
      </div>
      {found && <p class="hint">The model: {trustOf(found, head.outputUnits?.[output])}.</p>}
      {shares === undefined ? (
        <p class="hint">The runs do not allow an estimate yet.</p>
      ) : (
        <ul class="share-bars">
          {shares.slice(0, MOST_BARS).map(({ input, share, range }) => (
            <li key={input}>
              <span>{inputs[input]}</span>
              <span class="share-bar" style={{ '--share': share, '--low': range.low, '--high': range.high }} />
              <span class="number">
                {percent(share)} <small class="hint">{percentRange(range)}</small>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
