import { useMemo } from 'preact/hooks';
import { TableHead } from '../../parts/table-head.tsx';
import { type InputDraft, type InputType, namesOfRows, withInputs } from './draft.ts';
import { CellChoice, CellText } from './fields.tsx';
import { RowActions } from './row-actions.tsx';
import { describeScales } from './scales.ts';
import { change, draft, faults } from './store.ts';

const INPUT_TYPES: Readonly<Record<InputType, string>> = {
  float: 'decimal',
  integer: 'whole number',
  boolean: 'yes/no',
  category: 'category',
};
const SCALES = { auto: 'by range', linear: 'linear', log: 'log' } as const;

export function InputTable() {
  const { inputs } = draft.value;
  return (
    <div class="scroll-box">
      <table class="definitions">
        <TableHead
          titles={['Name', 'Unit', 'Type', 'Minimum', 'Maximum', 'Scale', 'Resolution']}
          controls="Move or remove"
        />
        <tbody>
          {inputs.map((input, i) => (
            <InputRow key={input.key} input={input} i={i} count={inputs.length} />
          ))}
        </tbody>
      </table>
      {describeScales(inputs, namesOfRows(inputs, 'x')).map((sentence) => (
        <p key={sentence} class="hint">
          {sentence}
        </p>
      ))}
    </div>
  );
}

interface InputRowProps {
  readonly input: InputDraft;
  readonly i: number;
  readonly count: number;
}

/** Drawn again only when something of it has changed: there may be 200 of them. */
function InputRow({ input, i, count }: InputRowProps) {
  const prefix = `inputs/${i}/`;
  const wrong = Object.entries(faults.value).filter(([path]) => path.startsWith(prefix));
  return useMemo(() => <InputCells input={input} i={i} />, [input, i, count, JSON.stringify(wrong)]);
}

function InputCells({ input, i }: Omit<InputRowProps, 'count'>) {
  const name = input.name.trim() || `input ${i + 1}`;
  const path = (field: string) => `inputs/${i}/${field}`;
  const set = (changed: Partial<InputDraft>, field: string) => {
    const { inputs } = draft.value;
    // Another type takes other fields, so their faults are gone with it.
    change({ inputs: inputs.with(i, { ...inputs[i]!, ...changed }) }, field === 'type' ? `inputs/${i}` : path(field));
  };
  return (
    <tr>
      <td>
        <CellText
          path={path('name')}
          label={`Name of input ${i + 1}`}
          value={input.name}
          placeholder={`x${i + 1}`}
          class="name"
          onInput={(value) => set({ name: value }, 'name')}
        />
        {input.cell !== '' && <p class="hint">{input.cell}</p>}
      </td>
      <td>
        <CellText
          path={path('unit')}
          label={`Unit of ${name}`}
          value={input.unit}
          class="unit"
          onInput={(value) => set({ unit: value }, 'unit')}
        />
      </td>
      <td>
        <CellChoice
          path={path('type')}
          label={`Type of ${name}`}
          value={input.type}
          options={INPUT_TYPES}
          onChange={(value) => set({ type: value }, 'type')}
        />
      </td>
      <ValueCells input={input} i={i} name={name} set={set} />
      <td>
        <RowActions
          list="inputs"
          rows={draft.value.inputs}
          i={i}
          name={name}
          onRows={(rows) => change(withInputs(draft.value, rows), 'inputs')}
        />
      </td>
    </tr>
  );
}

interface ValueCellsProps {
  readonly input: InputDraft;
  readonly i: number;
  readonly name: string;
  set(changed: Partial<InputDraft>, field: string): void;
}

/** The values that an input may take. */
function ValueCells(props: ValueCellsProps) {
  const { input, i, name, set } = props;
  switch (input.type) {
    case 'category':
      return (
        <td colSpan={4}>
          <CellText
            path={`inputs/${i}/categories`}
            label={`Categories of ${name}`}
            value={input.categories}
            placeholder="steel, copper, glass"
            class="categories"
            onInput={(value) => set({ categories: value }, 'categories')}
          />
        </td>
      );
    case 'boolean':
      return (
        <td colSpan={4} class="hint">
          no or yes
        </td>
      );
    default:
      return <NumberCells {...props} />;
  }
}

function NumberCells({ input, i, name, set }: ValueCellsProps) {
  const path = (field: string) => `inputs/${i}/${field}`;
  return (
    <>
      {(['minimum', 'maximum'] as const).map((end) => (
        <td key={end}>
          <CellText
            path={path(end)}
            label={`${end === 'minimum' ? 'Minimum' : 'Maximum'} of ${name}`}
            value={input[end]}
            isNumber
            onInput={(value) => set({ [end]: value }, end)}
          />
        </td>
      ))}
      <td>
        <CellChoice
          path={path('scale')}
          label={`Scale of ${name}`}
          value={input.scale}
          options={SCALES}
          onChange={(value) => set({ scale: value }, 'scale')}
        />
      </td>
      <td>
        {input.type === 'float' && (
          <CellText
            path={path('spacing')}
            label={`Resolution of ${name}`}
            value={input.spacing}
            placeholder="any"
            isNumber
            onInput={(value) => set({ spacing: value }, 'spacing')}
          />
        )}
      </td>
    </>
  );
}
