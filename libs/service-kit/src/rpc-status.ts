/** The `google.rpc.Code` of an HTTP status that the OTLP routes answer (otlp 2). Anything else is INTERNAL. */
const rpcCodes: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  408: 4,
  413: 8,
  415: 3,
  429: 8,
  503: 14,
};

/**
 * Whether an OTLP caller can read a refusal only as a protobuf `google.rpc.Status`: its `Accept` requests it, or it is
 * a collector, which logs only the status of any other body. All others get JSON, also for a protobuf export.
 */
export function prefersRpcStatus(headers: { accept?: string | undefined; "user-agent"?: string | undefined }): boolean {
  const agent = headers["user-agent"] ?? "";
  return (
    (headers.accept ?? "").toLowerCase().includes("application/x-protobuf") ||
    agent.startsWith("OpenTelemetry Collector") ||
    agent.startsWith("otelcol")
  );
}

/** The bytes of a `google.rpc.Status` with the code for an HTTP status: field 1 `code`, field 2 `message`. */
export function encodeRpcStatus(httpStatus: number, message: string): Buffer {
  const text = Buffer.from(message, "utf8");
  const length: number[] = [];
  let rest = text.length;
  for (; rest > 0x7f; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
  length.push(rest);
  return Buffer.concat([Buffer.from([0x08, rpcCodes[httpStatus] ?? 13, 0x12, ...length]), text]);
}
