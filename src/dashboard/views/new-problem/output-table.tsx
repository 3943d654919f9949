import { TableHead } from '../../parts/table-head.tsx';
import { type OutputDraft, withOutputs } from './draft.ts';
import { CellText } from './fields.tsx';
import { RowActions } from './row-actions.tsx';
import { change, draft } from './store.ts';

/** Names and units of the outputs; their targets follow in the third part. */
export function OutputTable() {
  const { outputs } = draft.value;
  const set = (j: number, changed: Partial<OutputDraft>, field: string) =>
    change({ outputs: outputs.with(j, { ...outputs[j]!, ...changed }) }, `outputs/${j}/${field}`);
  return (
    <div class="scroll-box">
      <table class="definitions">
        <TableHead titles={['Name', 'Unit']} controls="Move or remove" />
        <tbody>
          {outputs.map((output, j) => {
            const name = output.name.trim() || `output ${j + 1}`;
            return (
              <tr key={output.key}>
                <td>
                  <CellText
                    path={`outputs/${j}/name`}
                    label={`Name of output ${j + 1}`}
                    value={output.name}
                    placeholder={`y${j + 1}`}
                    class="name"
                    onInput={(value) => set(j, { name: value }, 'name')}
                  />
                  {output.cell !== '' && <p class="hint">{output.cell}</p>}
                </td>
                <td>
                  <CellText
                    path={`outputs/${j}/unit`}
                    label={`Unit of ${name}`}
                    value={output.unit}
                    class="unit"
                    onInput={(value) => set(j, { unit: value }, 'unit')}
                  />
                </td>
                <td>
                  <RowActions
                    list="outputs"
                    rows={outputs}
                    i={j}
                    name={name}
                    onRows={(rows) => change(withOutputs(draft.value, rows), 'outputs', 'results')}
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
