import { CopyButton } from "../ui/copy-button.tsx";
import { SidePanel } from "../ui/side-panel.tsx";
import { CaseDetails } from "./case-details.tsx";
import type { Question } from "./queries.ts";

/** One case, whole. */
export function CasePanel({ index, question, onClose }: { index: number; question: Question; onClose(): void }) {
  return (
    <SidePanel
      title={`Case ${index}`}
      onClose={onClose}
      actions={<CopyButton text={JSON.stringify(question, null, 2)} name="the case as JSON" />}
    >
      <CaseDetails question={question} />
    </SidePanel>
  );
}
