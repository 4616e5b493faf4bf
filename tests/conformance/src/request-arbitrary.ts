import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { type HttpRequest, printable } from "./http-request.ts";
import { type ArbitrarySource, anyText, jsonArbitrary, withKnown } from "./json-arbitrary.ts";
import { mutateJson } from "./mutate-json.ts";
import type { JsonSchema, Operation } from "./open-api.ts";

/** The parts of a valid request, before it is serialized. */
interface Draft {
  path: string;
  headers: Record<string, string>;
  /** Undefined = no body. */
  json: unknown;
  body: Buffer | null;
}

/** Half of them valid, half with one mutation. */
export function requestArbitrary(operation: Operation, source: ArbitrarySource): fc.Arbitrary<HttpRequest> {
  const valid = draftArbitrary(operation, source);
  const mutated = fc.tuple(valid, fc.nat(), anyText({ maxLength: 100 })).map(([draft, choice, text]) => {
    const mutations = mutationsOf(operation, draft, source, text);
    return mutations[choice % mutations.length] as HttpRequest;
  });
  return fc.oneof(
    valid.map((draft) => write(operation, draft, "valid")),
    mutated,
  );
}

function draftArbitrary(operation: Operation, source: ArbitrarySource): fc.Arbitrary<Draft> {
  return fc
    .tuple(pathArbitrary(operation, source), bodyArbitrary(operation, source))
    .map(([path, { json, body, headers }]) => ({ path, json, body, headers }));
}

function pathArbitrary(operation: Operation, source: ArbitrarySource): fc.Arbitrary<string> {
  const parameters = operation.parameters.map((parameter) => {
    const value = withKnown(parameter.name, pathOrQueryText(parameter.schema, source), source) as fc.Arbitrary<string>;
    const isOptional = parameter.in === "query" && parameter.required !== true;
    return fc.tuple(fc.constant(parameter), isOptional ? fc.option(value, { nil: undefined }) : value);
  });
  return fc.tuple(...parameters).map((chosen) => {
    let path = operation.path;
    const query: string[] = [];
    for (const [{ name, in: place }, value] of chosen) {
      if (value === undefined) continue;
      if (place === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
      else query.push(`${name}=${encodeURIComponent(value)}`);
    }
    return query.length === 0 ? path : `${path}?${query.join("&")}`;
  });
}

/** Values that stay in place when percent-encoded: an empty segment or dots would be another path. */
function pathOrQueryText(schema: JsonSchema, source: ArbitrarySource): fc.Arbitrary<string> {
  return fc
    .oneof(jsonArbitrary(schema, source) as fc.Arbitrary<string>, fc.uuid({ version: 7 }), fc.uuid())
    .map((text) => String(text).toWellFormed())
    .map((text) => (/^\.*$/.test(text) ? "-" : text.slice(0, 900)));
}

function bodyArbitrary(operation: Operation, source: ArbitrarySource): fc.Arbitrary<Omit<Draft, "path">> {
  if (operation.body === null) return fc.constant({ json: undefined, body: null, headers: {} });
  const encoded = Object.entries(operation.body.content).map(([type, { schema }]) => {
    if (schema === undefined) {
      const bytes = fc.uint8Array({ maxLength: 200 });
      return bytes.map((body) => ({ json: undefined, body: Buffer.from(body), headers: { "content-type": type } }));
    }
    const value = jsonArbitrary(schema, source);
    return fc.tuple(value, fc.constantFrom(type, `${type}; charset=utf-8`)).map(([json, contentType]) => ({
      json,
      body: Buffer.from(JSON.stringify(json)),
      headers: { "content-type": contentType },
    }));
  });
  const none = { json: undefined, body: null, headers: {} };
  return operation.body.required ? fc.oneof(...encoded) : fc.oneof(fc.constant(none), ...encoded);
}

/** Every way to invalidate one part of a valid request. */
function mutationsOf(operation: Operation, draft: Draft, source: ArbitrarySource, text: string): HttpRequest[] {
  const spoil = (mutation: string, expected: number[] | null, change: Partial<Draft & { method: string }>) =>
    write(operation, { ...draft, ...change }, mutation, expected, change.method);
  const mutations = [
    ...operation.otherMethods.map((method) => spoil(`method ${method}`, [405], { method })),
    spoil("an unknown query parameter", null, { path: `${draft.path}${draft.path.includes("?") ? "&" : "?"}x=%00` }),
    spoil("a query of nothing but marks", null, { path: `${draft.path.split("?")[0]}?&&==&%zz` }),
  ];
  if (operation.needsKey) {
    const printableText = text.replaceAll(/[^\x21-\x7e]/g, "?");
    mutations.push(
      spoil("no key", [401], { headers: { ...draft.headers, "x-api-key": "" } }),
      spoil("a wrong key", [401], { headers: { ...draft.headers, "x-api-key": `k${printableText}` } }),
    );
  }
  if (draft.body !== null) mutations.push(...bodyMutationsOf(operation, draft, source, spoil));
  return mutations;
}

function bodyMutationsOf(
  operation: Operation,
  draft: Draft,
  source: ArbitrarySource,
  spoil: (mutation: string, expected: number[] | null, change: Partial<Draft>) => HttpRequest,
): HttpRequest[] {
  const body = draft.body ?? Buffer.alloc(0);
  const withHeader = (name: string, value: string) => ({ headers: { ...draft.headers, [name]: value } });
  // Content of any type goes to a signed address, which is judged first.
  const refused = (...statuses: number[]): number[] | null => (takesContent(operation) ? null : statuses);
  // Lines are read as they come, once the object exists that they are for.
  const unreadable = takesLines(operation) && operation.path.includes("{") ? refused(400, 404) : refused(400);
  const mutations = [
    spoil("content type text/plain", refused(415), withHeader("content-type", "text/plain")),
    spoil("an empty content type", refused(415), withHeader("content-type", "")),
    spoil("an unknown content encoding", [415], withHeader("content-encoding", "br2")),
    spoil("gzip that is none", unreadable, {
      ...withHeader("content-encoding", "gzip"),
      body: Buffer.from("not gzip"),
    }),
    spoil("gzip", null, { ...withHeader("content-encoding", "gzip"), body: gzipSync(body) }),
    spoil("gzip that ends early", unreadable, {
      ...withHeader("content-encoding", "gzip"),
      body: gzipSync(body).subarray(0, -9),
    }),
  ];
  // Invalid lines are counted individually, and the others are accepted.
  if (draft.json === undefined || takesLines(operation)) return mutations;
  const schema = Object.values(operation.body?.content ?? {}).find((content) => content.schema !== undefined)?.schema;
  return [
    ...mutations,
    spoil("a charset that is not UTF-8", [415], withHeader("content-type", "application/json; charset=latin1")),
    spoil("JSON that ends early", [400], { body: body.subarray(0, -1) }),
    spoil("JSON with a comma too many", [400], { body: Buffer.concat([body, Buffer.from(",")]) }),
    // Exporters drop refused data, so OTLP may accept the text with U+FFFD in it.
    spoil("bytes that are no UTF-8", isOtlp(operation) ? [200, 400] : [400], {
      body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    }),
    ...mutateJson(draft.json, schema ?? {}, source.schemas).map(({ what, value }) =>
      spoil(what, null, { json: value, body: Buffer.from(JSON.stringify(value)) }),
    ),
  ];
}

function isOtlp(operation: Operation): boolean {
  return operation.body !== null && "application/x-protobuf" in operation.body.content;
}

function takesContent(operation: Operation): boolean {
  return operation.body !== null && "application/octet-stream" in operation.body.content;
}

function takesLines(operation: Operation): boolean {
  return operation.body !== null && "application/x-ndjson" in operation.body.content;
}

function write(
  operation: Operation,
  { path, headers, body }: Draft,
  mutation: string,
  expected: readonly number[] | null = null,
  method = operation.method,
): HttpRequest {
  return printable({ method, path, headers, body, mutation, expected });
}
