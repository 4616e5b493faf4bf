import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/states.tsx";

export function DatasetsPage() {
  return (
    <Page title="Datasets">
      <EmptyState title="Nothing here yet">This page is not built yet.</EmptyState>
    </Page>
  );
}
