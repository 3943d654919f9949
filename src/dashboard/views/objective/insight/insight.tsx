import { useState } from 'preact/hooks';
import type { Insight as Known } from '../../../../../clients/typescript/src/index.ts';
import type { Head } from '../../../../presentation/columns.ts';
import { inputNames, outputNames } from '../../../../presentation/values.ts';
import { ScrollBox } from '../../../parts/scroll-box.tsx';
import { TableHead } from '../../../parts/table-head.tsx';
import type { Run } from '../state/history.ts';
import { orderOf, percent, percentRange, type Share, sharesOf, trustOf } from './words.ts';
import './insight.css';

/** Above this the inputs that matter most are listed instead. */
const MAXIMUM_CELLS = 400;
const LISTED_INPUTS = 5;
const LISTED_OUTPUTS = 40;

/** Tells how far the model can be trusted, and which inputs matter. */
export function Insight({ run }: { readonly run: Run }) {
  const head = run.head.value;
  const { insight } = head;
  return (
    <section class="insight" aria-labelledby="insight-title">
      <h2 id="insight-title">Insight</h2>
      {insight === null ? (
        <p class="hint">Available after the first suggestion.</p>
      ) : (
        <>
          <p class="hint">
            From {insight.caseCount} runs. A share is the part of an output’s variation that involves an input, over all
            allowed inputs. The range of its uncertainty is below it.
          </p>
          {insight.outputs.length * head.minimums.length > MAXIMUM_CELLS ? (
            <Compact head={head} insight={insight} />
          ) : (
            <Shares head={head} insight={insight} />
          )}
        </>
      )}
    </section>
  );
}

interface TableProps {
  readonly head: Head;
  readonly insight: Known;
}

function Shares({ head, insight }: TableProps) {
  const inputs = inputNames(head);
  const outputs = outputNames(head);
  return (
    <ScrollBox label="Trust and shares">
      <table class="shares">
        <TableHead titles={['Output', 'Trust', ...inputs, 'What matters most']} numbers={inputs} />
        <tbody>
          {insight.outputs.map((output) => {
            const shares = sharesOf(output);
            return (
              <tr key={output.number}>
                <th scope="row">{outputs[output.number]}</th>
                <td>{trustOf(output, head.outputUnits?.[output.number])}</td>
                {shares === undefined ? (
                  <td colSpan={inputs.length + 1} class="hint">
                    Too few runs to divide the variation among the inputs.
                  </td>
                ) : (
                  <>
                    {inputs.map((name, i) => (
                      <ShareCell key={name} share={shares.find(({ input }) => input === i)!} />
                    ))}
                    <td>{orderOf(shares, inputs)}</td>
                  </>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function ShareCell({ share: { share, range } }: { readonly share: Share }) {
  return (
    <td class="number share" style={{ '--share': Math.min(1, Math.max(0, share)) }}>
      {percent(share)}
      <small>{percentRange(range)}</small>
    </td>
  );
}

function Compact({ head, insight }: TableProps) {
  const [showsAll, setShowsAll] = useState(false);
  const inputs = inputNames(head);
  const outputs = outputNames(head);
  const shown = showsAll ? insight.outputs : insight.outputs.slice(0, LISTED_OUTPUTS);
  const list = (shares: readonly Share[]) =>
    shares
      .slice(0, LISTED_INPUTS)
      .map(({ input, share }) => `${inputs[input]} ${percent(share)}`)
      .join(', ');
  return (
    <>
      <ScrollBox label="Trust and what matters">
        <table class="shares">
          <TableHead titles={['Output', 'Trust', 'Largest shares']} />
          <tbody>
            {shown.map((output) => {
              const shares = sharesOf(output);
              return (
                <tr key={output.number}>
                  <th scope="row">{outputs[output.number]}</th>
                  <td>{trustOf(output, head.outputUnits?.[output.number])}</td>
                  <td>
                    {shares === undefined ? 'Too few runs to divide the variation among the inputs.' : list(shares)}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollBox>
      {shown.length < insight.outputs.length && (
        <button type="button" onClick={() => setShowsAll(true)}>
          Show all {insight.outputs.length} outputs
        </button>
      )}
    </>
  );
}
