import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseAllDocuments } from "yaml";
import { apiFolder, definitionFiles, helmCache, kubernetesVersions } from "./go-tools.ts";

type Json = Record<string, unknown>;

/** The APIs of Kubernetes that the chart uses. */
const apis = [
  "api__v1",
  "apis__apps__v1",
  "apis__autoscaling__v2",
  "apis__batch__v1",
  "apis__networking.k8s.io__v1",
  "apis__policy__v1",
];

/** Where kubeconform finds a schema. */
export const schemaLocation = path.join(
  helmCache,
  "schemas",
  "{{.Group}}_{{.ResourceAPIVersion}}_{{.ResourceKind}}.json",
);

/** Writes a JSON schema for each kind that the chart may contain, from the definitions of the pinned versions. */
export async function writeSchemas(): Promise<void> {
  const folder = path.dirname(schemaLocation);
  const newest = kubernetesVersions[kubernetesVersions.length - 1] ?? "1.37";
  const sources = [
    ...(await apiFolder(newest).then((api) => apis.map((name) => path.join(api, `${name}_openapi.json`)))),
    ...(await definitionFiles()),
  ];
  const stamp = path.join(folder, "sources.txt");
  if (existsSync(stamp) && (await readFile(stamp, "utf8")) === sources.join("\n")) return;
  await mkdir(folder, { recursive: true });
  for (const source of sources) {
    const text = await readFile(source, "utf8");
    const found = source.endsWith(".json") ? kindsOfApi(JSON.parse(text)) : kindsOfDefinitions(text);
    for (const { group, version, kind, schema } of found) {
      // kubeconform takes the version for the group of the core API.
      await writeFile(
        path.join(folder, `${group || version}_${version}_${kind.toLowerCase()}.json`),
        JSON.stringify(schema),
      );
    }
  }
  await writeFile(stamp, sources.join("\n"));
}

interface Kind {
  group: string;
  version: string;
  kind: string;
  schema: Json;
}

function kindsOfApi({ components }: { components: { schemas: Record<string, Json> } }): Kind[] {
  const closed = close(components);
  return Object.entries(components.schemas).flatMap(([name, schema]) => {
    const named = (schema["x-kubernetes-group-version-kind"] ?? []) as Omit<Kind, "schema">[];
    // Lists and options have many groups.
    if (named.length !== 1) return [];
    return named.map(({ group, version, kind }) => ({
      ...{ group, version, kind },
      schema: { $ref: `#/components/schemas/${name}`, components: closed },
    }));
  });
}

function kindsOfDefinitions(text: string): Kind[] {
  return parseAllDocuments(text).flatMap((document) => {
    const { spec } = document.toJS() as {
      spec: { group: string; names: { kind: string }; versions: { name: string; schema: { openAPIV3Schema: Json } }[] };
    };
    return spec.versions.map(({ name, schema }) => ({
      group: spec.group,
      version: name,
      kind: spec.names.kind,
      schema: close({ ...schema.openAPIV3Schema, ...withMetadata(schema.openAPIV3Schema) }) as Json,
    }));
  });
}

/** In a definition, metadata is an object without members. */
function withMetadata({ properties }: Json): Json {
  return { properties: { ...(properties as Json), metadata: { type: "object" } } };
}

/** Refuses members that a schema does not name, as a server does with strict validation of fields. */
function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, close(member)]));
  if (members["x-kubernetes-int-or-string"] === true) return { type: ["integer", "string"] };
  const isOpen =
    typeof members.properties !== "object" ||
    "additionalProperties" in members ||
    members["x-kubernetes-preserve-unknown-fields"] === true;
  return isOpen || !isSchema(members) ? members : { ...members, additionalProperties: false };
}

/** A property may itself be called `properties`. */
function isSchema({ type, properties }: Json): boolean {
  return type === "object" && typeof properties === "object";
}
