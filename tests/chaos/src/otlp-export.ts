/** A span as an exporter would send it. Ids are hexadecimal, times nanoseconds since 1970. */
export interface ExportedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  name: string;
  startNano: bigint;
  endNano: bigint;
  attributes: Readonly<Record<string, string>>;
}

/** An export of these spans in the JSON encoding. */
export function encodeJsonExport(spans: readonly ExportedSpan[]): Buffer {
  const encoded = spans.map((span) => ({
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId !== null && { parentSpanId: span.parentSpanId }),
    name: span.name,
    startTimeUnixNano: String(span.startNano),
    endTimeUnixNano: String(span.endNano),
    attributes: Object.entries(span.attributes).map(([key, text]) => ({ key, value: { stringValue: text } })),
  }));
  return Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: encoded }] }] }));
}

/** The same in protobuf, encoded by hand: the system's own writer must not test its own reader. */
export function encodeProtobufExport(spans: readonly ExportedSpan[]): Buffer {
  const scopeSpans = Buffer.concat(spans.map((span) => field(2, encodeSpan(span))));
  return field(1, field(2, scopeSpans));
}

function encodeSpan(span: ExportedSpan): Buffer {
  return Buffer.concat([
    field(1, Buffer.from(span.traceId, "hex")),
    field(2, Buffer.from(span.spanId, "hex")),
    ...(span.parentSpanId === null ? [] : [field(4, Buffer.from(span.parentSpanId, "hex"))]),
    field(5, Buffer.from(span.name)),
    fixed64(7, span.startNano),
    fixed64(8, span.endNano),
    ...Object.entries(span.attributes).map(([key, text]) =>
      field(9, Buffer.concat([field(1, Buffer.from(key)), field(2, field(1, Buffer.from(text)))])),
    ),
  ]);
}

/** A length-delimited field. */
export function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(content.length), content]);
}

function fixed64(number: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return Buffer.concat([varint(number * 8 + 1), bytes]);
}

/** A base-128 number, the encoding of tags and lengths. */
export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
  return Buffer.from(bytes);
}
