/** Inputs and outputs of a run with all digits, and the margin of every target. */

import { type Columns, type Head, vectorAt } from '../../../../presentation/columns.ts';
import { rough, titled } from '../../../../presentation/formats.ts';
import { marginText, wantedText } from '../../../../presentation/margin.ts';
import { fullInputText, inputNames, outputNames } from '../../../../presentation/values.ts';
import { ScrollBox } from '../../../parts/scroll-box.tsx';
import { TableHead } from '../../../parts/table-head.tsx';

interface RunValuesProps {
  readonly head: Head;
  readonly columns: Columns;
  readonly row: number;
}

export function RunValues({ head, columns, row }: RunValuesProps) {
  const input = vectorAt(columns.inputs, row);
  const output = vectorAt(columns.outputs, row);
  const inputs = inputNames(head);
  const outputs = outputNames(head);
  return (
    <div class="run-values">
      <ScrollBox label="Inputs of the run">
        <table>
          <TableHead titles={['Input', 'Value']} numbers={['Value']} />
          <tbody>
            {inputs.map((name, i) => (
              <tr key={name}>
                <th scope="row">{titled(name, head.inputUnits?.[i])}</th>
                <td class="number">{input === undefined ? '–' : fullInputText(head, i, input[i]!)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <ScrollBox label="Outputs of the run">
        <table>
          <TableHead titles={['Output', 'Value', 'Wanted', 'Margin']} numbers={['Value']} />
          <tbody>
            {outputs.map((name, j) => (
              <tr key={name}>
                <th scope="row">{titled(name, head.outputUnits?.[j])}</th>
                <td class="number">{output === undefined ? '–' : String(output[j])}</td>
                <td>{wantedText(head, j)}</td>
                <Margin head={head} j={j} value={output?.[j]} miss={columns.misses[j]![row]!} />
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </div>
  );
}

interface MarginProps {
  readonly head: Head;
  readonly j: number;
  readonly value: number | undefined;
  readonly miss: number;
}

/** No single margin counts for exact targets, judged by the sum of their differences, or for a fit, judged by the misfit of all values. */
function Margin({ head, j, value, miss }: MarginProps) {
  const target = head.objectives[j];
  if (value === undefined || target == null) return <td>–</td>;
  if (head.l1Threshold !== null || head.objectiveTypes[j] === 'fit') {
    return <td>{rough(Math.abs(value - target))} from the target</td>;
  }
  return (
    <td class={miss > 0 ? 'unmet' : 'met'}>
      {miss > 0 ? 'missed' : 'met'}, {marginText(head.intervals[j]!, value, head.outputUnits?.[j])}
    </td>
  );
}
