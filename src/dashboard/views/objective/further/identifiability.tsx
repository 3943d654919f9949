import { useState } from 'preact/hooks';
import type { ObjectiveIdentifiability } from '../../../../../clients/typescript/src/index.ts';
import type { Head } from '../../../../presentation/columns.ts';
import { short, titled } from '../../../../presentation/formats.ts';
import { inputNames, inputText } from '../../../../presentation/values.ts';
import { ScrollBox } from '../../../parts/scroll-box.tsx';
import { Strip } from '../../../parts/strip.tsx';
import { TableHead } from '../../../parts/table-head.tsx';
import { service } from '../../../shell/service.ts';
import { InputValues } from '../by-hand/input-values.tsx';
import type { Run } from '../state/history.ts';
import { Ask, useAnswer } from './answer.tsx';
import { ConfidenceField } from './confidence-field.tsx';

type Found = NonNullable<ObjectiveIdentifiability['identifiability']>;
type Range = Found['ranges'][number];

/** For which values of the inputs the targets hold, and which inputs the outputs do not tell apart. */
export function Identifiability({ run }: { readonly run: Run }) {
  const [confidence, setConfidence] = useState(90);
  const answered = useAnswer(run, async () => {
    const path = { objective_id: run.objectiveId };
    return (await service.call('getIdentifiability', { path, query: { confidence } })).body;
  });
  const { answer } = answered;
  const head = run.head.value;
  return (
    <>
      <Ask of={answered}>
        <ConfidenceField
          label="Probability required for “surely”, %"
          value={confidence}
          usual={90}
          onChange={setConfidence}
        />
      </Ask>
      {answer?.identifiability === null && <p>The models do not yet know an input that surely meets the targets.</p>}
      {answer?.identifiability != null && <Shown head={head} found={answer.identifiability} />}
    </>
  );
}

function Shown({ head, found }: { readonly head: Head; readonly found: Found }) {
  const { ranges, combinations, next, best, sentences } = found;
  const names = inputNames(head);
  return (
    <>
      <ScrollBox label="Values of the inputs that fit">
        <table>
          <TableHead
            titles={['Input', 'Surely fits', 'Nothing fits outside', 'Others at their best', 'Within its bounds']}
          />
          <tbody>
            {ranges.map((range, i) => (
              <tr key={names[i]}>
                <th scope="row">{titled(names[i]!, head.inputUnits?.[i])}</th>
                <td class="further-text">{fitText(head, i, range)}</td>
                <td>{possibleText(head, i, range)}</td>
                <td>{range.kind === 'range' ? spanText(head, i, range.alone) : ''}</td>
                <td class="targets-strip">
                  {range.kind === 'range' && (
                    <Strip
                      label={`${names[i]}: ${fitText(head, i, range)} surely fits, of ${spanText(head, i, { low: head.minimums[i]!, high: head.maximums[i]! })}`}
                      seen={{ low: head.minimums[i]!, high: head.maximums[i]! }}
                      lower={range.fits.low}
                      upper={range.fits.high}
                      best={best[i]}
                      latest={undefined}
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <p class="hint">
        A value fits surely if the other inputs adapt to it. The thick mark shows the input most likely to meet the
        targets.
      </p>
      {combinations.length > 0 && (
        <>
          <h3>Not determined by the outputs</h3>
          <ul>
            {/* Those of the combinations are the last ones. */}
            {sentences.slice(-combinations.length).map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </>
      )}
      {next !== null && (
        <>
          <h3>The most informative run</h3>
          <p>
            It shows whether {names[next.input]} can be within {spanText(head, next.input, next.open)}. Add its outputs
            as data, then compute again.
          </p>
          <InputValues head={head} input={next.at} />
        </>
      )}
    </>
  );
}

function spanText(head: Head, i: number, { low, high }: { readonly low: number; readonly high: number }): string {
  // Ends of what is open may lie between whole numbers.
  const text = (value: number) => (Number.isInteger(value) ? inputText(head, i, value) : short(value));
  return low === high ? text(low) : `${text(low)} … ${text(high)}`;
}

function fitText(head: Head, i: number, range: Range): string {
  if (range.kind === 'codes') return listOf(head, i, range.fits);
  const gaps = range.gaps.map((gap) => `${short(gap.low)} … ${short(gap.high)}`);
  return `${spanText(head, i, range.fits)}${gaps.length > 0 ? ` except ${gaps.join(' and ')}` : ''}`;
}

function possibleText(head: Head, i: number, range: Range): string {
  return range.kind === 'codes' ? listOf(head, i, range.possible) : spanText(head, i, range.possible);
}

function listOf(head: Head, i: number, values: readonly number[]): string {
  return values.length === 0 ? 'none' : values.map((value) => inputText(head, i, value)).join(', ');
}
