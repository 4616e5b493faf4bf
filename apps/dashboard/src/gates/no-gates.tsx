import { useState } from "react";
import { useApi } from "../shell/session.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { SelectField } from "../ui/field.tsx";
import { Panel } from "../ui/page.tsx";
import { EmptyState } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { type CiSnippet, ciSnippets } from "./ci-snippets.ts";

/** Shown for a project without verdicts: how a pipeline requests one, with the real address, key and dataset. */
export function NoGates({ names }: { names: ReadonlyMap<string, string> | undefined }) {
  const { projectId, project } = useApi();
  const datasets = [...(names ?? [])];
  const [chosen, choose] = useState<CiSnippet["key"]>("shell");
  const [picked, pick] = useState<string>();
  const datasetId = picked ?? datasets[0]?.[0];
  if (names !== undefined && datasetId === undefined) {
    return (
      <EmptyState
        title="No gates yet"
        actions={
          <ButtonLink to="/p/$projectId/datasets" params={{ projectId }} look="primary">
            Make a dataset
          </ButtonLink>
        }
      >
        A gate says whether a run is good enough to ship. It needs a dataset: the cases that your agent has to pass.
      </EmptyState>
    );
  }
  const snippet = ciSnippets.find(({ key }) => key === chosen) ?? ciSnippets[0];
  const place = { address: window.location.origin, datasetId: datasetId ?? "<dataset>" };
  const shown = snippet.render({ ...place, apiKey: "<key>" });
  const whole = snippet.render({ ...place, apiKey: project.apiKey });
  return (
    <section aria-labelledby="first-gate" className="w-full overflow-y-auto">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-4 px-4 py-10">
        <header>
          <h2 id="first-gate" className="m-0 text-xl">
            Put a gate into your pipeline
          </h2>
          <p className="m-0 mt-1 text-soft">
            The pipeline asks your agent each case of a dataset, sends the answers and stops when too few pass. Each
            verdict appears here with its branch and commit.
          </p>
        </header>
        <div className="max-w-sm">
          <SelectField label="Dataset" value={datasetId ?? ""} onChange={({ target }) => pick(target.value)}>
            {datasets.map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        </div>
        <Panel>
          <Tabs label="Pipeline" tabs={ciSnippets} chosen={chosen} onChoose={(key) => choose(key)} className="p-4">
            <pre tabIndex={0} className="m-0 overflow-x-auto leading-5">
              {shown}
            </pre>
            <div className="mt-3">
              <CopyButton text={whole} name="the snippet" label={shown === whole ? "Copy" : "Copy with the key"} />
            </div>
          </Tabs>
        </Panel>
      </div>
    </section>
  );
}
