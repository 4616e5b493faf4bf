import { type BenchServers, withBenchServers } from "./bench-servers.ts";
import { type Measurement, measureClosedLoop, median } from "./closed-loop.ts";
import { copiedRows } from "./copied-rows.ts";
import { openHttpConnection } from "./http-connection.ts";
import { createRenewableExport } from "./otlp-export.ts";
import { atLeast, printFigure, printHeading } from "./report.ts";

const connections = 4;
const spansPerTrace = 8;
/** Twice on each span, as input and as output: about 1 KB. */
const text = "The forecast for the next days says sunshine with light wind from the west and mild nights. ".repeat(5);
const sizes = [
  { spans: 512, bar: atLeast(0.4) },
  { spans: 32, bar: atLeast(0.3) },
];

/** OTLP protobuf through the gateway, complete traces of eight spans, beside COPY of equal rows into the same PostgreSQL. */
export async function benchOtlpExports(length: { rounds: number; seconds: number }): Promise<void> {
  await withBenchServers(async (servers) => {
    printHeading(`OTLP protobuf, ${connections} connections, ${length.rounds} rounds of ${length.seconds} s, medians`);
    for (const { spans, bar } of sizes) {
      const { ratio, system, copy } = await compare(servers, spans, length);
      printFigure({
        what: `${spans} spans a request / COPY`,
        value: ratio,
        unit: "",
        bar,
        beside: `${system.toFixed(0)} spans/s | ${copy.toFixed(0)} rows/s`,
      });
    }
  });
}

async function compare(
  { standalone, databaseUrl }: BenchServers,
  spans: number,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<{ ratio: number; system: number; copy: number }> {
  const copied = await copiedRows({ databaseUrl, rowsPerCopy: 512, text });
  const exported = createRenewableExport({ traces: spans / spansPerTrace, spansPerTrace, text });
  const opened = await Promise.all(
    Array.from({ length: connections }, () =>
      openHttpConnection(standalone.address, {
        "x-api-key": standalone.apiKey,
        "content-type": "application/x-protobuf",
      }),
    ),
  );
  const measured: { system: Measurement; copy: Measurement }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    measured.push({
      copy: await measureClosedLoop({ clients: 1, seconds, once: copied.copyRows }),
      system: await measureClosedLoop({
        clients: connections,
        seconds,
        once: async (client) => {
          const status = await opened[client]?.post("/api/v1/otel/v1/traces", exported.renew());
          if (status !== 200) throw new Error(`An export was answered ${status}.`);
        },
      }),
    });
  }
  for (const connection of opened) connection.close();
  await copied.close();
  return {
    ratio: median(measured.map(({ system, copy }) => (system.perSecond * spans) / (copy.perSecond * 512))),
    system: median(measured.map(({ system }) => system.perSecond * spans)),
    copy: median(measured.map(({ copy }) => copy.perSecond * 512)),
  };
}
