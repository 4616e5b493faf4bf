import { AppError, type Call } from "@touchstone/service-kit";

/** Bodies being inflated at once. A body's size is known only afterwards, so this bounds what a moment may overshoot. */
const inflatingMax = 2;

/** Bounds the memory of all OTLP exports in hand: twenty clients with 64 MiB each must not exhaust the process. */
export interface InflightBudget {
  /**
   * Reads the body of a call and holds its bytes, on the wire and inflated, until `work` is done. `holdRows` says how
   * many decoded spans or records `work` has in hand. Throws `queue_full` when either do not fit beside those of other
   * calls: the client sends all of it again.
   */
  hold<Result>(
    call: Pick<Call, "rawBody" | "body">,
    work: (body: Buffer, holdRows: (rows: number) => void) => Promise<Result>,
  ): Promise<Result>;
}

export function createInflightBudget({ bytesMax, rowsMax }: { bytesMax: number; rowsMax: number }): InflightBudget {
  let held = 0;
  let heldRows = 0;
  let inflating = 0;
  const waiting: (() => void)[] = [];

  function reserve(bytes: number): void {
    // A single body always fits: what is larger was refused by its own limit.
    if (held > 0 && held + bytes > bytesMax) {
      throw full();
    }
    held += bytes;
  }

  async function inflate(call: Pick<Call, "body">): Promise<Buffer> {
    if (inflating >= inflatingMax) await new Promise<void>((resolve) => waiting.push(resolve));
    else inflating += 1;
    try {
      return await call.body();
    } finally {
      const next = waiting.shift();
      if (next === undefined) inflating -= 1;
      else next();
    }
  }

  return {
    async hold(call, work) {
      let reserved = 0;
      let reservedRows = 0;
      const holdRows = (rows: number): void => {
        const others = heldRows - reservedRows;
        heldRows = others + rows;
        reservedRows = rows;
        if (others > 0 && heldRows > rowsMax) throw full();
      };
      const take = (bytes: number): void => {
        reserve(bytes);
        reserved += bytes;
      };
      take(call.rawBody.length);
      try {
        const body = await inflate(call);
        if (body !== call.rawBody) take(body.length);
        return await work(body, holdRows);
      } finally {
        held -= reserved;
        heldRows -= reservedRows;
      }
    },
  };
}

function full(): AppError {
  return new AppError("queue_full", "ingest queue full - too much is being received, retry with backoff");
}
