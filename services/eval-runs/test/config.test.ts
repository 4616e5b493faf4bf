import { deadlines } from "@touchstone/contracts";
import { ConfigError } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { readEvalRunsConfig } from "../src/index.ts";

const environment = {
  SERVICE_DB_URL: "postgres://all@localhost/touchstone",
  SERVICE_NATS_URL: "nats://localhost:4222",
  SERVICE_INTERNAL_SECRET: "a root secret of the installation, long enough",
  SERVICE_INGEST_URL: "http://ingest-1:4700,http://ingest-2:4700",
};

test("the service's own database wins over the shared one", () => {
  const own = "postgres://own@localhost/evals";

  expect(readEvalRunsConfig(environment).config.databaseUrl).toBe(environment.SERVICE_DB_URL);
  expect(readEvalRunsConfig({ ...environment, SERVICE_EVAL_RUNS_DB_URL: own }).config.databaseUrl).toBe(own);
});

test("whatever is missing is named, all at once", () => {
  const read = () => readEvalRunsConfig({});

  expect(read).toThrow(ConfigError);
  const needed = ["SERVICE_DB_URL", "SERVICE_NATS_URL", "SERVICE_INTERNAL_SECRET", "SERVICE_INGEST_URL"];
  for (const name of needed) expect(read).toThrow(name);
});

test("the deadlines of scoring are a chain, each shorter than the next", () => {
  const { timings } = readEvalRunsConfig(environment).config;

  const chain = [
    timings.heartbeatMs,
    timings.leaseMs,
    timings.outageMs,
    timings.resultMs - timings.storeMs,
    timings.resultMs,
    timings.batchMs,
    deadlines.gatewayScoringHopMs,
  ];
  expect(chain).toEqual(chain.toSorted((one, other) => one - other));
  expect(timings.resultMs - timings.storeMs).toBeGreaterThan(deadlines.llmCallMs);
});
