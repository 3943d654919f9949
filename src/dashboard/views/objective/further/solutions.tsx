import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Solutions as Found } from '../../../../../clients/typescript/src/index.ts';
import { chance } from '../../../../presentation/asked.ts';
import type { Head } from '../../../../presentation/columns.ts';
import { counted, short, titled } from '../../../../presentation/formats.ts';
import { fullInputText, inputNames, inputText, outputNames } from '../../../../presentation/values.ts';
import { ScrollBox } from '../../../parts/scroll-box.tsx';
import { TableHead } from '../../../parts/table-head.tsx';
import { service } from '../../../shell/service.ts';
import type { Run } from '../state/history.ts';
import { Ask, useAnswer } from './answer.tsx';
import { describeDifference, distanceBetween } from './differences.ts';
import { FoundRun } from './found-run.tsx';

/** Inputs that meet all targets: those that were run apart from those that the models expect to. */
export function Solutions({ run }: { readonly run: Run }) {
  const [count, setCount] = useState(5);
  const id = useId();
  const answered = useAnswer(run, async () => {
    const path = { objective_id: run.objectiveId };
    return (await service.call('getSolutions', { path, query: { count } })).body;
  });
  const { answer } = answered;
  return (
    <>
      <Ask of={answered}>
        <span class="field-row">
          <label for={id}>At most</label>
          <input
            id={id}
            class="short-field"
            type="number"
            min={1}
            max={20}
            value={count}
            onChange={({ currentTarget }) =>
              setCount(Math.max(1, Math.min(20, Math.round(currentTarget.valueAsNumber) || 1)))
            }
          />
          of each kind
        </span>
      </Ask>
      {answer !== undefined && <Tables head={run.head.value} found={answer} />}
    </>
  );
}

function Tables({ head, found: { verified, predicted } }: { readonly head: Head; readonly found: Found }) {
  const first = (verified[0] ?? predicted[0])?.input;
  return (
    <>
      <h3>Solutions that were run</h3>
      {verified.length === 0 ? (
        <p>No run meets all targets yet.</p>
      ) : (
        <>
          <p class="hint">
            {counted(verified.length, 'solution')}
            {verified.length > 1 && ', each the farthest from those before it'}. Distances are shares of the ranges.
          </p>
          <Table
            head={head}
            label="Solutions that were run"
            first={first!}
            rows={verified.map((found) => ({
              name: <FoundRun run={found} ownId={head.objectiveId} />,
              input: found.input,
              outputs: found.output.map((value) => ({ text: short(value), full: String(value) })),
            }))}
          />
        </>
      )}
      <h3>Solutions expected by the models, not run</h3>
      {predicted.length === 0 ? (
        <p>The models expect no solution apart from {verified.length === 0 ? 'each other' : 'those above'}.</p>
      ) : (
        <Table
          head={head}
          label="Solutions that the models expect"
          first={first!}
          rows={predicted.map(({ input, output, spread, chance: likely }) => ({
            name: `likely to ${chance(likely)}`,
            input,
            outputs: output.map((value, j) => ({
              text: `${short(value)} ± ${short(Number(spread[j]!.toPrecision(2)))}`,
              full: `${value} ± ${spread[j]}`,
            })),
          }))}
        />
      )}
    </>
  );
}

interface Row {
  readonly name: ComponentChildren;
  readonly input: readonly number[];
  readonly outputs: readonly { readonly text: string; readonly full: string }[];
}

interface TableProps {
  readonly head: Head;
  readonly label: string;
  readonly first: readonly number[];
  readonly rows: readonly Row[];
}

function Table({ head, label, first, rows }: TableProps) {
  const titles = [
    ...inputNames(head).map((name, i) => titled(name, head.inputUnits?.[i])),
    ...outputNames(head).map((name, j) => titled(name, head.outputUnits?.[j])),
  ];
  return (
    <ScrollBox label={label}>
      <table>
        <TableHead titles={['Solution', 'Unlike the first', 'Distance', ...titles]} numbers={['Distance', ...titles]} />
        <tbody>
          {rows.map(({ name, input, outputs }, r) => {
            const distance = distanceBetween(head, first, input);
            return (
              <tr key={r}>
                <th scope="row">{name}</th>
                <td class="further-text">{input === first ? '' : describeDifference(head, first, input)}</td>
                <td class="number" title={String(distance)}>
                  {input === first ? '' : short(Number(distance.toPrecision(2)))}
                </td>
                {input.map((value, i) => (
                  <td key={`x${i}`} class="number" title={fullInputText(head, i, value)}>
                    {inputText(head, i, value)}
                  </td>
                ))}
                {outputs.map(({ text, full }, j) => (
                  <td key={`y${j}`} class="number nowrap" title={full}>
                    {text}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollBox>
  );
}
