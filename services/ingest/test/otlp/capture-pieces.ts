import protobuf from "protobufjs";
import { type Capture, listCaptures, listFixtures, readCapture } from "./corpus.ts";
import { lookUpMessage } from "./reference-decoder.ts";

/** One span, or the log records of one instant, with resource and scope: an export of its own. */
export interface CapturePiece {
  signal: "traces" | "logs";
  encoding: Capture["contentType"];
  bytes: Buffer;
}

/** What one producer sent, in the order in which it was sent. */
export interface CapturedProducer {
  name: string;
  readPieces(): Promise<CapturePiece[]>;
}

/** Every producer of a capture, and every convention. Metrics are not stored, so they are left out. */
export function listProducers(): CapturedProducer[] {
  const folders = Map.groupBy(listCaptures(), ({ name }) => name.split("/")[0] as string);
  const captured = [...folders].map(([name, captures]) => ({ name, captures }));
  const made = listFixtures("_conventions").map((file) => {
    const capture = { name: file, file, signal: "traces", contentType: "json", contentEncoding: undefined } as const;
    return { name: file, captures: [capture] };
  });
  return [...captured, ...made].map(({ name, captures }) => ({
    name,
    readPieces: async () => (await Promise.all(captures.map(cutCapture))).flat(),
  }));
}

/** Joins pieces of one signal and encoding to the body of one export. */
export function joinPieces(pieces: readonly CapturePiece[]): Buffer {
  const bodies = pieces.map(({ bytes }) => bytes);
  if (pieces[0]?.encoding === "protobuf") return Buffer.concat(bodies);
  return Buffer.from(`{"resourceSpans":[${bodies.join()}]}`);
}

async function cutCapture(capture: Capture): Promise<CapturePiece[]> {
  const { signal, contentType: encoding } = capture;
  if (signal !== "traces" && signal !== "logs") return [];
  const body = await readCapture(capture);
  const cut = encoding === "json" ? cutJson(body) : cutProtobuf(body, signal);
  return cut.map((bytes) => ({ signal, encoding, bytes }));
}

interface JsonEntry {
  scopeSpans: { spans: unknown[] }[];
}

function cutJson(body: Buffer): Buffer[] {
  const { resourceSpans }: { resourceSpans: JsonEntry[] } = JSON.parse(body.toString());
  return resourceSpans.flatMap((entry) =>
    entry.scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => Buffer.from(JSON.stringify({ ...entry, scopeSpans: [{ ...scope, spans: [span] }] }))),
    ),
  );
}

const entriesTag = 0x0a;
/** Of the scopes of an entry, and of the spans or log records of a scope. */
const itemsTag = 0x12;

/** Cut in the wire format, so that fields without a definition of ours are kept. Concatenated messages add up their lists. */
function cutProtobuf(body: Buffer, signal: CapturePiece["signal"]): Buffer[] {
  return fieldsOf(body).flatMap(({ content }) => {
    const entry = cutMessage(content);
    return entry.items.map(cutMessage).flatMap((scope) => {
      const groups = Map.groupBy(scope.items, (item, index) => (signal === "logs" ? instantOf(item) : index));
      return [...groups.values()].map((items) => {
        const cutEntry = joinMessage({ ...entry, items: [joinMessage({ ...scope, items })] });
        return encodeField(entriesTag, cutEntry);
      });
    });
  });
}

const logRecord = lookUpMessage("LogRecord");

/** The order of records of one instant is that of their export, so they stay together (decision 13). */
function instantOf(record: Buffer): string {
  const { timeUnixNano, observedTimeUnixNano } = logRecord.toObject(logRecord.decode(record), { longs: String });
  return `${timeUnixNano} ${observedTimeUnixNano}`;
}

/** The items of a message, and its other fields. */
interface CutMessage {
  items: Buffer[];
  others: Buffer;
}

function cutMessage(message: Buffer): CutMessage {
  const fields = fieldsOf(message);
  return {
    items: fields.filter(({ tag }) => tag === itemsTag).map(({ content }) => content),
    others: Buffer.concat(
      fields.filter(({ tag }) => tag !== itemsTag).map((field) => encodeField(field.tag, field.content)),
    ),
  };
}

function joinMessage({ items, others }: CutMessage): Buffer {
  return Buffer.concat([others, ...items.map((item) => encodeField(itemsTag, item))]);
}

/** The fields of an envelope: each of them is a text or a message. */
function fieldsOf(message: Buffer): { tag: number; content: Buffer }[] {
  const reader = protobuf.Reader.create(message);
  const fields: { tag: number; content: Buffer }[] = [];
  while (reader.pos < reader.len) fields.push({ tag: reader.uint32(), content: Buffer.from(reader.bytes()) });
  return fields;
}

function encodeField(tag: number, content: Buffer): Buffer {
  return Buffer.from(protobuf.Writer.create().uint32(tag).bytes(content).finish());
}
