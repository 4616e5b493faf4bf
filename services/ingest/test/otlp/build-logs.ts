import type { FragmentBody } from "../../src/model/fragment-body.ts";
import type { IncomingFragment } from "../../src/model/incoming-fragment.ts";
import { anyValue, keyValues, type PlainValue } from "./build-export.ts";
import { decodeLogs } from "./corpus.ts";
import { lookUpMessage } from "./reference-decoder.ts";

export const traceId = "5b8efff798038103d269b633813fc60c";
export const spanId = "eee19b7ec3c1b001";
const startNano = 1_795_219_200_000_000_000n;

/** The members that a test sets; the rest belongs to the span above. */
export interface RecordSketch {
  event?: string;
  body?: PlainValue;
  attributes?: Record<string, PlainValue>;
  resource?: Record<string, PlainValue>;
  scope?: string;
  /** Milliseconds after the first. */
  afterMs?: number;
  /** Any other member of the OTLP/JSON record, as it is. */
  more?: Record<string, unknown>;
}

/** OTLP/JSON of one record per sketch, each in a separate scope. */
export function buildLogs(...sketches: RecordSketch[]): Buffer {
  const resourceLogs = sketches.map(({ event, body, attributes, resource, scope, afterMs, more }) => ({
    resource: { attributes: keyValues(resource) },
    scopeLogs: [
      {
        scope: { name: scope ?? "test" },
        logRecords: [
          {
            traceId,
            spanId,
            timeUnixNano: String(startNano + BigInt(afterMs ?? 0) * 1_000_000n),
            ...(event === undefined ? {} : { eventName: event }),
            ...(body === undefined ? {} : { body: anyValue(body) }),
            attributes: keyValues(attributes),
            ...more,
          },
        ],
      },
    ],
  }));
  return Buffer.from(JSON.stringify({ resourceLogs }));
}

/** The same export in protobuf. */
export function toProtobuf(json: Buffer): Buffer {
  const message = lookUpMessage("ExportLogsServiceRequest");
  const plain = JSON.parse(json.toString());
  for (const entry of plain.resourceLogs) {
    for (const { logRecords } of entry.scopeLogs) {
      for (const record of logRecords) {
        for (const name of ["traceId", "spanId"]) {
          if (record[name] !== undefined) record[name] = Buffer.from(record[name], "hex").toString("base64");
        }
      }
    }
  }
  return Buffer.from(message.encode(message.fromObject(plain)).finish());
}

/** A protobuf export of logs as OTLP/JSON, by the reference. */
export function toJson(protobuf: Buffer): Buffer {
  const message = lookUpMessage("ExportLogsServiceRequest");
  const plain = message.toObject(message.decode(protobuf), { longs: String, bytes: String, json: true });
  for (const entry of plain.resourceLogs) {
    for (const { logRecords } of entry.scopeLogs) {
      for (const record of logRecords) {
        for (const name of ["traceId", "spanId"]) {
          if (record[name] !== undefined) record[name] = Buffer.from(record[name], "base64").toString("hex");
        }
      }
    }
  }
  return Buffer.from(JSON.stringify(plain));
}

/** A fragment with its content parsed. */
export interface ReadFragment extends Omit<IncomingFragment, "body"> {
  body: FragmentBody;
}

/** The fragment of one sketched record, which must be accepted. */
export async function fragmentOf(sketch: RecordSketch): Promise<ReadFragment> {
  const { fragments, message } = await decodeLogs(buildLogs(sketch), "json");
  const [fragment] = fragments;
  if (fragment === undefined) throw new Error(`the record was not accepted: ${message}`);
  return { ...fragment, body: JSON.parse(fragment.body) };
}
