/** The first part: name, model, inputs, outputs and constraints. */

import { useEffect, useState } from 'preact/hooks';
import type { Model } from '../../../../clients/typescript/src/index.ts';
import { counted } from '../../../presentation/formats.ts';
import type { Rows } from '../../parts/paste.ts';
import { explain, service } from '../../shell/service.ts';
import { readDefinitions } from './definitions.ts';
import { isUntouched, newInput, newOutput, nextKey, withInputs, withOutputs } from './draft.ts';
import { described, FaultAt, FaultBlock, fieldId, focusField, TextField } from './fields.tsx';
import { InputTable } from './input-table.tsx';
import { OutputTable } from './output-table.tsx';
import { change, draft, faults } from './store.ts';
import { TakeTable } from './take-table.tsx';
import { WorkbookBox } from './workbook-box.tsx';

export function InputsPart() {
  const { name, inputs, outputs, recipe } = draft.value;
  const addInput = () => {
    const key = nextKey(inputs);
    change({ inputs: [...inputs, newInput(key)] });
    focusField(`inputs/${inputs.length}/name`);
  };
  const addOutput = () => {
    const key = nextKey(outputs);
    change(withOutputs(draft.value, [...outputs, newOutput(key)]));
    focusField(`outputs/${outputs.length}/name`);
  };
  return (
    <>
      {recipe !== '' && (
        <p class="notice">
          The example is a flat bar used as a bracket. Calculate its outputs by hand: <strong>{recipe}</strong>.
        </p>
      )}
      {isUntouched(draft.value) && (
        <p>
          Describe what you can set (inputs), what you measure (outputs), and the outputs you want. Backsolve then
          suggests one input after another until the outputs fit.
        </p>
      )}
      <div class="field-row">
        <TextField
          path="name"
          label="Name of the problem"
          value={name}
          onInput={(value) => change({ name: value }, 'name')}
        />
        <ModelChoice />
      </div>
      <WorkbookBox />
      <h2>Inputs</h2>
      <FaultBlock path="inputs" />
      <InputTable />
      <p class="hint">
        Resolution: the finest step that you can set, such as 0.5. Only such values are suggested; without it also
        43.171.
      </p>
      <div class="actions">
        <button type="button" onClick={addInput}>
          Add an input
        </button>
      </div>
      <TakeTable
        label="Inputs from a spreadsheet"
        hint="One row per input: name, unit, type, minimum, maximum, categories, scale, resolution. With a header, in any order."
        onRows={takeInputs}
      />
      <h2>Outputs</h2>
      <FaultBlock path="outputs" />
      <OutputTable />
      <div class="actions">
        <button type="button" onClick={addOutput}>
          Add an output
        </button>
      </div>
      <Constraints />
    </>
  );
}

function takeInputs(rows: Rows): string {
  const { inputs } = draft.value;
  const read = readDefinitions(rows, nextKey(inputs));
  if (read.length === 0) return 'No row describes an input.';
  const kept = inputs.filter(({ name, minimum, maximum }) => `${name}${minimum}${maximum}`.trim() !== '');
  change(withInputs(draft.value, [...kept, ...read]), 'inputs');
  return `${counted(read.length, 'input')} added.`;
}

/** More models than this cannot be chosen from usefully in a list. */
const SHOWN_MODELS = 1_000;

function ModelChoice() {
  const { modelId } = draft.value;
  const [models, setModels] = useState<readonly Model[]>([]);
  const [failure, setFailure] = useState<string | undefined>(undefined);
  useEffect(() => {
    const ended = new AbortController();
    const read = async () => {
      const found: Model[] = [];
      for await (const model of service.pages('listModels', { query: { limit: 200 }, signal: ended.signal })) {
        found.push(model);
        if (found.length >= SHOWN_MODELS) break;
      }
      setModels(found);
    };
    read().catch((error: unknown) => {
      if (!ended.signal.aborted) setFailure(explain(error));
    });
    return () => ended.abort();
  }, []);
  const made = draft.value.model?.id;
  return (
    <div class="field">
      <label for={fieldId('model')}>Model</label>
      <select
        {...described('model')}
        value={modelId === null ? '' : String(modelId)}
        onChange={({ currentTarget }) =>
          change({ modelId: currentTarget.value === '' ? null : Number(currentTarget.value) }, 'model', 'name')
        }
      >
        <option value="">A new one with this name</option>
        {models
          .filter(({ id }) => id !== made)
          .map(({ id, name }) => (
            <option key={id} value={String(id)}>
              {name}
            </option>
          ))}
      </select>
      <FaultAt path="model" />
      <p class="hint">{failure ?? 'A model groups the problems of one system that you run or simulate.'}</p>
    </div>
  );
}

function Constraints() {
  const { constraints, inputs } = draft.value;
  const paths = Object.keys(faults.value).filter((path) => path.startsWith('constraints'));
  const [first = 'x1', second = 'x2'] = inputs.map(({ name }, i) => name.trim() || `x${i + 1}`);
  // A fault names its line; there is one field for all of them.
  const id = fieldId(paths[0] ?? 'constraints');
  return (
    <details open={constraints !== '' || paths.length > 0} class="constraints">
      <summary>Constraints among the inputs (optional)</summary>
      <label for={id}>One per line</label>
      <textarea
        id={id}
        aria-invalid={paths.length > 0}
        aria-describedby={paths.length > 0 ? 'constraint-faults' : undefined}
        rows={3}
        value={constraints}
        placeholder={`${first} + ${second} <= 10`}
        onInput={({ currentTarget }) => change({ constraints: currentTarget.value }, 'constraints')}
      />
      <div id="constraint-faults">
        {paths.map((path) => (
          <p key={path} class="fault" role="alert">
            {path === 'constraints' ? '' : `Line ${Number(path.split('/')[1]) + 1}: `}
            {faults.value[path]}
          </p>
        ))}
      </div>
    </details>
  );
}
