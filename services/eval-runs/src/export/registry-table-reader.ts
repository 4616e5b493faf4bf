import { type ExportedTable, storedSize } from "@touchstone/db";
import { byId, createdAt, json, jsonText, updatedAt, versionsOf } from "./versioned-table-reader.ts";

/** Registries: prompts and tool schemas. */
export const registryTables = {
  prompts: {
    columns: `
      prompts.id, prompts.name, prompts.description::text, prompts.version, prompts.tags::text, prompts.created_at,
      prompts.updated_at`,
    ...byId("prompts"),
    size: "coalesce(octet_length(prompts.description::text), 0)",
    members: (row) => [
      ["name", json(row.name)],
      ["description", jsonText(row.description)],
      ["version", json(row.version)],
      ["tags", jsonText(row.tags)],
      createdAt(row),
      updatedAt(row),
    ],
  },

  "prompt-versions": versionsOf(
    { table: "prompt_versions", ownerColumn: "prompt_id", ownerName: "promptId" },
    {
      columns: `
        versions.text::text, versions.messages::text, versions.config::text, versions.commit_message::text,
        array_to_json(
          array(
            select labels.label
            from evals.prompt_labels as labels
            where labels.project_id = versions.project_id
              and labels.prompt_id = versions.prompt_id
              and labels.version = versions.version
            order by labels.label
          )
        )::text as labels`,
      size: `${storedSize("versions", "content_bytes", ["text", "messages", "config"])} + coalesce(octet_length(versions.commit_message::text), 0)`,
      members: (row) => [
        ["text", jsonText(row.text)],
        ["messages", jsonText(row.messages)],
        ["config", jsonText(row.config)],
        ["commitMessage", jsonText(row.commit_message)],
        ["labels", jsonText(row.labels)],
      ],
    },
  ),

  "tool-schemas": {
    columns: `
      tool_schemas.id, tool_schemas.name, tool_schemas.version, tool_schemas.document::text, tool_schemas.created_at,
      tool_schemas.updated_at`,
    ...byId("tool_schemas"),
    size: storedSize("tool_schemas", "document_bytes", ["document"]),
    members: (row) => [["name", json(row.name)], ["version", json(row.version)], createdAt(row), updatedAt(row)],
    document: (row) => row.document as string,
  },

  "tool-schema-versions": versionsOf(
    { table: "tool_schema_versions", ownerColumn: "tool_schema_id", ownerName: "toolSchemaId" },
    {
      columns: "versions.document::text",
      size: storedSize("versions", "document_bytes", ["document"]),
      document: (row) => row.document as string,
    },
  ),
} as const satisfies Record<string, ExportedTable>;
