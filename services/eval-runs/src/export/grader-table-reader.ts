import { type ExportedTable, firstId, readableJson, storedSize } from "@touchstone/db";
import type { OnlineProfile } from "../graders/online-profile.ts";
import { byId, createdAt, json, jsonText, updatedAt, versionsOf } from "./versioned-table-reader.ts";

/** Graders: configs, which are evaluation settings and judge scorers at once, and scorer groups. */
export const graderTables = {
  "evaluation-settings": {
    columns: `
      configs.id, configs.version, configs.is_default, configs.seed_key, configs.online::text, versions.document::text,
      configs.created_at`,
    source: `
      evals.grading_configs as configs
      join evals.grading_config_versions as versions
        on versions.project_id = configs.project_id
        and versions.config_id = configs.id
        and versions.version = configs.version
      where configs.project_id = $1`,
    order: "configs.id",
    after: "configs.id > $2::uuid",
    firstCursor: firstId,
    time: "configs.created_at",
    size: `${storedSize("versions", "document_bytes", ["document"])} + coalesce(octet_length(configs.online::text), 0)`,
    members: (row) => [
      ["version", json(row.version)],
      ["isDefault", json(row.is_default)],
      ["seedKey", json(row.seed_key)],
      ["online", jsonText(row.online)],
      ["status", '"published"'],
      createdAt(row),
    ],
    document: (row) => row.document as string,
  },

  "evaluation-settings-versions": versionsOf(
    { table: "grading_config_versions", ownerColumn: "config_id", ownerName: "evaluationSettingsId" },
    {
      columns: "versions.change_summary, versions.document::text",
      size: storedSize("versions", "document_bytes", ["document"]),
      members: (row) => [["changeSummary", json(row.change_summary)]],
      document: (row) => row.document as string,
    },
  ),

  // Profiles are stored in their config. A project has at most a thousand configs, so their order needs no index.
  "online-evaluators": {
    columns: `
      configs.online->>'profileId' as id, configs.id as config_id, configs.online::text,
      coalesce(configs.online->>'name', ${readableJson("versions.document")} ->> 'name') as name, configs.created_at`,
    source: `
      evals.grading_configs as configs
      join evals.grading_config_versions as versions
        on versions.project_id = configs.project_id
        and versions.config_id = configs.id
        and versions.version = configs.version
      where configs.project_id = $1
        and configs.online is not null`,
    order: `(configs.online->>'profileId') collate "C"`,
    after: `(configs.online->>'profileId') collate "C" > $2::text`,
    firstCursor: "",
    time: "configs.created_at",
    size: "octet_length(configs.online::text)",
    members: (row) => {
      const { profileId: _id, name: _name, ...settings } = JSON.parse(row.online as string) as OnlineProfile;
      return [
        ["name", json(row.name)],
        ["evaluationSettingsId", json(row.config_id)],
        ...Object.entries(settings).map(([name, value]) => [name, json(value)] as const),
        createdAt(row),
      ];
    },
  },

  "scorer-groups": {
    columns: `
      scorer_groups.id, scorer_groups.document::text, scorer_groups.online::text, scorer_groups.created_at,
      scorer_groups.updated_at`,
    ...byId("scorer_groups"),
    size: "octet_length(scorer_groups.document::text) + coalesce(octet_length(scorer_groups.online::text), 0)",
    members: (row) => [["online", jsonText(row.online)], createdAt(row), updatedAt(row)],
    document: (row) => row.document as string,
  },
} as const satisfies Record<string, ExportedTable>;
