import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useApi } from "../shell/session.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { DownloadIcon, MoreIcon, UploadIcon } from "../ui/icons.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { Menu } from "../ui/menu.tsx";
import { saveFile } from "../ui/save-file.ts";
import { DeleteDatasetDialog } from "./delete-dataset-dialog.tsx";
import { type CaseFile, caseFileName, caseFiles } from "./export-cases.ts";
import type { Dataset } from "./queries.ts";

const ImportCasesDialog = lazyPart(async () => (await import("./import-cases-dialog.tsx")).ImportCasesDialog);

/** The actions on a whole dataset. */
export function DatasetActions({ dataset }: { dataset: Dataset }) {
  const { projectId } = useApi();
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const [isImporting, setImporting] = useState(false);
  const { questions } = dataset;
  const save = (format: CaseFile): void => {
    const { mediaType, render } = caseFiles[format];
    saveFile({ name: caseFileName(dataset.name, format), mediaType, text: render(questions) });
  };
  return (
    <>
      <Button onClick={() => setImporting(true)}>
        <UploadIcon /> Import
      </Button>
      {isImporting && <ImportCasesDialog dataset={dataset} onClose={() => setImporting(false)} />}
      <Menu
        align="end"
        trigger={
          <Button>
            <DownloadIcon /> Export
          </Button>
        }
        items={(Object.keys(caseFiles) as CaseFile[]).map((format) => ({
          label: caseFiles[format].label,
          disabledBecause: questions.length === 0 ? "no cases" : undefined,
          onChoose: () => save(format),
        }))}
      />
      <Menu
        align="end"
        trigger={
          <IconButton label="More">
            <MoreIcon />
          </IconButton>
        }
        items={[{ label: "Delete dataset", look: "danger", onChoose: () => setDeleting(true) }]}
      />
      <DeleteDatasetDialog
        dataset={{ ...dataset, caseCount: questions.length }}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onDeleted={() => void navigate({ to: "/p/$projectId/datasets", params: { projectId } })}
      />
    </>
  );
}
