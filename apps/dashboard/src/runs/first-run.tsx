import { useApi } from "../shell/session.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Panel } from "../ui/page.tsx";
import { EmptyState } from "../ui/states.tsx";
import { firstRunCommands } from "./first-run-commands.ts";

/** Shown for a project without runs: the commands that grade a first one, with the real address and key. */
export function FirstRun() {
  const { project } = useApi();
  const shown = firstRunCommands({ address: window.location.origin, apiKey: "<key>" });
  const whole = firstRunCommands({ address: window.location.origin, apiKey: project.apiKey });
  return (
    <div className="overflow-y-auto">
      <EmptyState title="No run yet">
        <p className="m-0 mb-3">
          A run grades answers of your agent against the cases of a dataset. These commands make a dataset of one case
          and grade one answer; the run appears here as soon as it exists.
        </p>
        <Panel className="p-4 text-ink">
          <pre tabIndex={0} className="m-0 overflow-x-auto leading-5">
            {shown}
          </pre>
          <div className="mt-3">
            <CopyButton text={whole} name="the commands" label="Copy with the key" />
          </div>
        </Panel>
      </EmptyState>
    </div>
  );
}
