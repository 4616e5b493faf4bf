import { useApi } from "../shell/session.tsx";
import { Button, ButtonLink } from "../ui/button.tsx";
import { PlusIcon, TracesIcon, UploadIcon } from "../ui/icons.tsx";
import { EmptyState } from "../ui/states.tsx";

/** Shown for a project without datasets: the three ways to create the first one. */
export function NoDatasets({ onCreate, onImport }: { onCreate(): void; onImport(): void }) {
  const { projectId } = useApi();
  return (
    <EmptyState
      title="No datasets yet"
      actions={
        <>
          <Button look="primary" onClick={onImport}>
            <UploadIcon /> Import cases
          </Button>
          <ButtonLink to="/p/$projectId/traces" params={{ projectId }}>
            <TracesIcon /> Pick from traces
          </ButtonLink>
          <Button onClick={onCreate}>
            <PlusIcon /> Start empty
          </Button>
        </>
      }
    >
      <p className="m-0">
        A dataset is a list of cases: a question, and what the answer should say. A run asks your agent each of them and
        grades what it answers.
      </p>
      <p className="m-0 mt-2">
        Import a CSV, JSON or JSON Lines file, or select traces that went wrong and press <kbd>a</kbd>.
      </p>
    </EmptyState>
  );
}
