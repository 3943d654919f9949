import { useId, useState } from 'preact/hooks';
import type { InverseRobustness } from '../../../../../clients/typescript/src/index.ts';
import { chance, chanceWithRange } from '../../../../presentation/asked.ts';
import { type Head, rowOf } from '../../../../presentation/columns.ts';
import { titled } from '../../../../presentation/formats.ts';
import { inputNames, outputNames } from '../../../../presentation/values.ts';
import { NumberField } from '../../../parts/number-field.tsx';
import { readNumber } from '../../../parts/read-number.ts';
import { ScrollBox } from '../../../parts/scroll-box.tsx';
import { TableHead } from '../../../parts/table-head.tsx';
import { service } from '../../../shell/service.ts';
import type { Run } from '../state/history.ts';
import { Ask, useAnswer } from './answer.tsx';

type Kind = InverseRobustness['inputTolerances']['kind'];
type Unit = InverseRobustness['inputTolerances']['in'];

/** Whether the targets still hold at the best input, or another one, when it is made with tolerances. */
export function Robustness({ run }: { readonly run: Run }) {
  const head = run.head.value;
  const stated = head.inputTolerances;
  const [kind, setKind] = useState<Kind>(stated?.kind ?? 'normal');
  const [unit, setUnit] = useState<Unit>(stated?.in ?? 'percent');
  const [texts, setTexts] = useState<readonly string[]>(
    head.minimums.map((_, i) => String(stated?.values[i] ?? (canDiffer(head, i) ? 1 : 0))),
  );
  const [iteration, setIteration] = useState(String(head.bestIteration ?? head.optimalIteration ?? 1));
  const [hasTried, setTried] = useState(false);
  const id = useId();
  const names = inputNames(head);
  const reads = texts.map(readNumber);
  const row = rowOf(run.columns.value, Number(iteration));
  const rowFault = row < 0 ? 'There is no such run here. Write the number of a run of this objective.' : undefined;
  const isReady = rowFault === undefined && reads.every(({ fault }) => fault === undefined);
  const answered = useAnswer(
    run,
    async () => {
      const query = {
        inverse: run.columns.value.inverseIds[row]!,
        tolerances: reads.map(({ value }) => value).join(','),
        kind,
        in: unit,
      };
      return (await service.call('getRobustness', { path: { objective_id: run.objectiveId }, query })).body;
    },
    stated !== null && isReady,
  );
  const asked = {
    ...answered,
    ask: () => {
      setTried(true);
      if (isReady) answered.ask();
    },
  };
  const choose = (
    label: string,
    value: string,
    choices: Readonly<Record<string, string>>,
    set: (v: string) => void,
  ) => (
    <div class="field">
      <label for={`${id}-${label}`}>{label}</label>
      <select id={`${id}-${label}`} value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
        {Object.entries(choices).map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
  return (
    <>
      <Ask of={asked}>
        <NumberField
          id={`${id}-iteration`}
          name="Input of run"
          text={iteration}
          fault={hasTried ? rowFault : undefined}
          onText={setIteration}
        />
        {choose('Tolerances are', kind, { normal: 'standard deviations', uniform: 'half widths' }, (value) =>
          setKind(value as Kind),
        )}
        {choose('In', unit, { units: 'units', percent: 'percent of the value' }, (value) => setUnit(value as Unit))}
        {names.map(
          (name, i) =>
            canDiffer(head, i) && (
              <NumberField
                key={name}
                id={`${id}-${i}`}
                name={`Tolerance of ${name}`}
                unit={unit === 'percent' ? '%' : head.inputUnits?.[i]}
                text={texts[i]!}
                fault={hasTried ? reads[i]!.fault : undefined}
                onText={(text) => setTexts(texts.with(i, text))}
              />
            ),
        )}
      </Ask>
      {answered.answer !== undefined && <Risk head={head} found={answered.answer} />}
    </>
  );
}

/** Booleans and categories are always made as they are asked for. */
function canDiffer({ inputTypes }: Head, i: number): boolean {
  return inputTypes[i] !== 'boolean' && inputTypes[i] !== 'category';
}

function Risk({ head, found: { robustness } }: { readonly head: Head; readonly found: InverseRobustness }) {
  if (robustness === null) {
    return <p>The models cannot say yet: for at least one output they predict less than half of the variance.</p>;
  }
  const { probability: value, low, high, inputShares, outputShares } = robustness;
  const rows = (names: readonly string[], values: readonly number[]) =>
    names.map((name, i) => [name, values[i]!] as const).sort((a, b) => b[1] - a[1]);
  return (
    <>
      <p>
        With these tolerances, a run at this input meets all targets with a probability of{' '}
        <strong title={String(value)}>{chanceWithRange({ value, low, high })}</strong>.
      </p>
      <div class="further-risks">
        <Shares title="Misses avoided if exact" first="Input" rows={rows(inputNames(head), inputShares)} />
        <Shares title="Share of the misses" first="Output" rows={rows(outputNames(head), outputShares)} />
      </div>
    </>
  );
}

interface SharesProps {
  readonly title: string;
  readonly first: string;
  readonly rows: readonly (readonly [name: string, share: number])[];
}

function Shares({ title, first, rows }: SharesProps) {
  return (
    <ScrollBox label={titled(first, title)}>
      <table class="shares">
        <TableHead titles={[first, title]} numbers={[title]} />
        <tbody>
          {rows.map(([name, share]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number share" style={{ '--share': Math.min(1, Math.max(0, share)) }} title={String(share)}>
                {share === 0 ? '0 %' : chance(share)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
