import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { connectBus } from "@touchstone/bus";
import { tracesStored } from "@touchstone/contracts";
import { createLogger } from "@touchstone/service-kit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { auditUnderLoad, type Load } from "../src/audited-load.ts";
import { expectClean } from "../src/expect-clean.ts";
import { type Installation, startInstallation } from "../src/installation.ts";
import { encodeJsonExport } from "../src/otlp-export.ts";

let system: Installation;

beforeAll(async () => {
  system = await startInstallation();
});

afterAll(async () => {
  await system?.stop();
});

async function stopBus(): Promise<void> {
  system.nats.signal("SIGKILL");
  await system.nats.exited;
}

async function wipeStore(): Promise<void> {
  await rm(system.nats.storeFolder, { recursive: true, force: true });
}

test("row 15: with the bus down, from the start or later, traces are accepted, and monitor receives them when it is back", async () => {
  const seed = 215;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    await load.awaitAcks(40);
    await stopBus();
    await load.awaitAcks(40);
    await system.ingests[0]?.kill();
    await system.ingests[0]?.start();
    await load.awaitAcks(40);
    await system.nats.restart();
  });

  expectClean(report, { seed });
});

test("row 15: with the bus frozen, traces are accepted, and monitor receives them when it resumes", async () => {
  const seed = 315;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    await load.awaitAcks(40);
    system.nats.signal("SIGSTOP");
    await load.awaitAcks(80);
    system.nats.signal("SIGCONT");
  });

  expectClean(report, { seed });
});

/** Waits until monitor has processed every event at least once: then it leaves the outbox. */
async function awaitConsumed(): Promise<void> {
  await waitUntil("what monitor has recorded left the outbox", async () => {
    const { rows } = await system.postgres.query("select from ingest.outbox limit 1");
    return rows.length === 0;
  });
}

interface SeenTrace {
  project_id: string;
  agent_id: string | null;
  name: string;
  created_at: Date;
  traffic_source: string | null;
  monitor: boolean | null;
  pattern_ids: string[] | null;
}

/** The result of a stored trace's event, and its time. Another event reports that a trace has settled. */
async function readSeen(traceId: string): Promise<SeenTrace[]> {
  const { rows } = await system.postgres.query<SeenTrace>(
    `select project_id, agent_id, name, created_at, traffic_source, monitor, pattern_ids, seen_at
     from monitor.seen_traces
     where trace_id = $1`,
    [traceId],
  );
  return rows;
}

async function submit(load: Load, name: string): Promise<string> {
  const answer = await load.client.send("POST", "/ingest/traces", JSON.stringify({ name }));
  return JSON.parse(answer?.text ?? "{}").trace_id;
}

test("row 17: the same event published five times has one effect", async () => {
  const logger = createLogger({ service: "ingest", level: "silent" });
  const bus = connectBus({ url: system.nats.url, service: "ingest", logger });
  const report = await auditUnderLoad(system, { seed: 217, writers: 0 }, async (load) => {
    const traceId = await submit(load, "announced");
    await waitUntil("monitor has seen it", async () => (await readSeen(traceId)).length > 0);
    const before = await readSeen(traceId);
    const [row] = before as [SeenTrace];
    const trace = {
      projectId: row.project_id,
      traceId,
      agentId: row.agent_id,
      name: row.name,
      createdAt: row.created_at.toISOString(),
      trafficSource: row.traffic_source,
      monitor: row.monitor,
      patternIds: row.pattern_ids,
    };
    for (let copy = 0; copy < 5; copy += 1) {
      await bus.publish(tracesStored, { traces: [trace] }, { messageId: `${traceId}-${copy}` });
    }
    const last = await submit(load, "after them");
    await waitUntil("monitor has seen the later ones", async () => (await readSeen(last)).length > 0);

    expect(await readSeen(traceId)).toEqual(before);
  });
  expect([report.findings.misannounced, report.findings.unannounced]).toEqual([[], []]);
  await bus.drain();
});

/** An OpenTelemetry trace. It is announced as stored when it arrives, and as settled later. */
async function exportRoot(load: Load, name: string): Promise<void> {
  const startNano = BigInt(Date.now()) * 1_000_000n;
  const ids = { traceId: randomBytes(16).toString("hex"), spanId: randomBytes(8).toString("hex"), parentSpanId: null };
  const body = encodeJsonExport([{ ...ids, name, startNano, endNano: startNano + 5_000_000n, attributes: {} }]);
  const answer = await load.client.send("POST", "/otel/v1/traces", body);
  expect(answer?.status).toBe(200);
}

/**
 * Prevents monitor from recording the trace of this name and from noting that it has settled: whichever event came
 * first would write the row that the other waits for. Other traces pass, because their events may be delivered again
 * meanwhile.
 */
async function closeGates(name: string) {
  const session = await system.postgres.connect();
  await session.query(`
    create function pass_gate() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(case when new.settled_at is null then 1 else 2 end);
      return new;
    end $$`);
  await session.query(`
    create trigger gate before insert on monitor.seen_traces
    for each row when (new.name = '${name}') execute function pass_gate()`);
  await session.query("select pg_advisory_lock(1), pg_advisory_lock(2)");
  return {
    async isRecordWaiting(): Promise<boolean> {
      const { rows } = await session.query(
        "select from pg_locks where locktype = 'advisory' and objid = 1 and not granted",
      );
      return rows.length > 0;
    },
    letRecordPass: () => session.query("select pg_advisory_unlock(1)"),
    async open(): Promise<void> {
      await session.query("select pg_advisory_unlock_all()");
      await session.query("drop trigger gate on monitor.seen_traces");
      await session.query("drop function pass_gate()");
      await session.end();
    },
  };
}

test("row 17: an event that is handled again because the answer to its commit was lost has one effect", async () => {
  const report = await auditUnderLoad(system, { seed: 317, writers: 0 }, async (load) => {
    const name = "delivered twice";
    const gates = await closeGates(name);
    const loggedBefore = system.monitor.process.log().length;
    await exportRoot(load, name);
    await waitUntil("monitor is about to record it", gates.isRecordWaiting);
    const list = await load.client.read<{ traces: { _id: string }[] }>("/ingest/traces");
    const traceId = list?.traces[0]?._id as string;
    await system.database.set({ kind: "hold-answers" });
    await gates.letRecordPass();
    await waitUntil("the record is committed", async () => (await readSeen(traceId)).length > 0);
    const before = await readSeen(traceId);
    await system.database.set({ kind: "refuse" });
    await system.database.set({ kind: "pass" });
    await gates.open();
    await waitUntil("monitor failed once", async () =>
      /"operation":"event\.traces\.stored\.v1".*"msg":"bus event waits"/.test(
        system.monitor.process.log().slice(loggedBefore),
      ),
    );
    await awaitConsumed();

    expect(await readSeen(traceId)).toEqual(before);
  });
  expect([report.findings.misannounced, report.findings.unannounced]).toEqual([[], []]);
});

test("row 18: wiping JetStream's store while events wait loses none of them", async () => {
  const seed = 218;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    await load.awaitAcks(40);
    await stopBus();
    await load.awaitAcks(40);
    await wipeStore();
    await system.nats.restart();
    await load.awaitAcks(40);
  });

  expectClean(report, { seed });
});

test("row 18: wiping JetStream's store after it accepted events that monitor has not received loses none of them", async () => {
  const seed = 318;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    await system.monitor.kill();
    await load.awaitAcks(80);
    await waitUntil("JetStream has every event", async () => {
      const { rows } = await system.postgres.query("select from ingest.outbox where published_seq is null limit 1");
      return rows.length === 0;
    });
    await stopBus();
    await wipeStore();
    await system.nats.restart();
    await load.awaitAcks(40);
    await system.monitor.start();
  });

  expectClean(report, { seed });
  await awaitConsumed();
});
