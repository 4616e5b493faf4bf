import { uuidv7 } from "@touchstone/service-kit";
import { comparableRows, requestsOf } from "@touchstone/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type CapturePiece, joinPieces, listProducers } from "./otlp/capture-pieces.ts";
import { useIngest } from "./running-ingest.ts";

const { ingest } = useIngest();

const mediaTypes = { json: "application/json", protobuf: "application/x-protobuf" } as const;

/** Sends pieces of one signal as one export. */
async function send(projectId: string, pieces: readonly CapturePiece[]): Promise<void> {
  const [{ signal, encoding }] = pieces as [CapturePiece];
  const sent = { body: joinPieces(pieces), headers: { "content-type": mediaTypes[encoding] } };
  const reply = await ingest.call(projectId, "POST", `/api/v1/otel/v1/${signal}`, sent);
  expect(reply.status, reply.text).toBe(200);
}

/** Sends the requests to a new project; returns all that it shows afterwards. */
async function rowsAfter(requests: readonly (readonly CapturePiece[])[]): Promise<unknown> {
  const projectId = uuidv7(Date.now());
  for (const pieces of requests) {
    // Equal records of one export are several records; a record is repeated in another one.
    const [again = [], once = []] = [true, false].map((isAgain) =>
      pieces.filter((piece, index) => (piece.signal === "logs" && pieces.indexOf(piece) < index) === isAgain),
    );
    for (const part of [once, again]) {
      for (const ofSignal of Map.groupBy(part, ({ signal }) => signal).values()) await send(projectId, ofSignal);
    }
  }
  const read = async (path: string) => (await ingest.call(projectId, "GET", `/api/v1${path}`)).json;
  const [{ traces, totalCount }, { scores }, { sessions }] = await Promise.all(
    ["/ingest/traces?limit=100", "/scores?limit=100", "/ingest/sessions?limit=100"].map(read),
  );
  const shown = await Promise.all(
    traces.map(async ({ _id }: { _id: string }) => {
      const { spans } = await read(`/ingest/traces/${_id}/outline`);
      return Promise.all(spans.map((span: { _id: string }) => read(`/ingest/traces/${span._id}`)));
    }),
  );
  return comparableRows({ totalCount, traces, shown, scores, sessions });
}

test.each(listProducers())(
  "what $name sent becomes the same rows, however it is permuted, repeated and cut over requests",
  async ({ readPieces }) => {
    const pieces = await readPieces();
    const expected = await rowsAfter([pieces]);
    expect(expected).toMatchObject({
      totalCount: expect.any(Number),
      shown: expect.arrayContaining([expect.any(String)]),
    });

    await fc.assert(
      fc.asyncProperty(requestsOf(pieces), async (requests) => {
        expect(await rowsAfter(requests)).toEqual(expected);
      }),
      { numRuns: 5, endOnFailure: true },
    );
  },
);
