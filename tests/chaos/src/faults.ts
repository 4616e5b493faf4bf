import { setTimeout as sleep } from "node:timers/promises";
import type { Installation, ServiceSlot } from "./installation.ts";
import type { Random } from "./random.ts";

/** One kind of fault. It is healed when `hurt` resolves. */
export interface Fault {
  name: string;
  hurt(system: Installation, random: Random): Promise<void>;
}

async function killOne(slots: readonly ServiceSlot[], random: Random): Promise<void> {
  const slot = random.pick(slots);
  await slot.kill();
  await sleep(random.integer(0, 500));
  await slot.start();
}

async function killBus({ nats }: Installation): Promise<void> {
  nats.signal("SIGKILL");
  await nats.exited;
}

/** The faults of random schedules. None of them may lose, duplicate or invent a trace. */
export const faults: readonly Fault[] = [
  { name: "kill a gateway", hurt: (system, random) => killOne(system.gateways, random) },
  { name: "kill an ingest", hurt: (system, random) => killOne(system.ingests, random) },
  { name: "kill monitor", hurt: (system, random) => killOne([system.monitor], random) },
  { name: "kill auth", hurt: (system, random) => killOne([system.auth], random) },
  {
    name: "restart a replica",
    async hurt(system, random) {
      const slot = random.pick([...system.gateways, ...system.ingests]);
      await slot.stop();
      await slot.start();
    },
  },
  {
    name: "kill PostgreSQL",
    async hurt({ postgres }, random) {
      await postgres.kill();
      await sleep(random.integer(0, 2_000));
      await postgres.restart();
    },
  },
  {
    name: "crash PostgreSQL",
    async hurt({ postgres }) {
      await postgres.crash();
      await postgres.restart();
    },
  },
  { name: "restart PostgreSQL", hurt: ({ postgres }) => postgres.restart() },
  {
    name: "freeze PostgreSQL",
    async hurt({ postgres }, random) {
      await postgres.freeze();
      await sleep(random.integer(100, 9_000));
      await postgres.thaw();
    },
  },
  {
    name: "end the sessions of PostgreSQL",
    async hurt({ postgres }) {
      await postgres.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'touchstone%'",
      );
    },
  },
  {
    name: "spoil the way to PostgreSQL",
    async hurt({ database }, random) {
      await database.set(
        random.pick([
          { kind: "refuse" },
          { kind: "hold" },
          { kind: "hold-answers" },
          { kind: "delay", ms: random.integer(50, 1_500) },
        ]),
      );
      await sleep(random.integer(100, 8_000));
      await database.set({ kind: "pass" });
    },
  },
  {
    name: "kill the bus",
    async hurt(system, random) {
      await killBus(system);
      await sleep(random.integer(0, 3_000));
      await system.nats.restart();
    },
  },
  {
    name: "freeze the bus",
    async hurt({ nats }, random) {
      nats.signal("SIGSTOP");
      await sleep(random.integer(100, 8_000));
      nats.signal("SIGCONT");
    },
  },
  {
    name: "kill everything",
    async hurt(system) {
      const services = [...system.gateways, ...system.ingests, system.auth, system.monitor];
      await Promise.all([killBus(system), system.postgres.kill(), ...services.map((service) => service.kill())]);
      await Promise.all([system.postgres.restart(), system.nats.restart()]);
      await Promise.all(services.map((service) => service.start()));
    },
  },
];
