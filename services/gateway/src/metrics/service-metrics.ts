import { metricFamilies } from "@touchstone/contracts";
import type { ReplicaSet } from "@touchstone/service-kit";
import { Agent, request } from "undici";
import type { PrometheusText } from "./prometheus-text.ts";

export interface ServiceMetrics {
  /** Adds the metrics of every replica, within about a second; for one that does not answer, that it is not up. */
  addTo(text: PrometheusText): Promise<void>;
  close(): Promise<void>;
}

const deadlineMs = 1_000;
/** Far above the size of a service's metrics. */
const textMaxBytes = 4 * 1024 * 1024;

/**
 * Reads the metrics of the other services. Samples are distinguished by `replica` and not added up: a sum falls when a
 * replica is missing, and a counter that falls looks like a restart.
 */
export function createServiceMetrics(services: Readonly<Record<string, ReplicaSet>>): ServiceMetrics {
  const dispatcher = new Agent({ connections: 4, connect: { timeout: deadlineMs }, maxResponseSize: textMaxBytes });

  async function read(origin: string, host: string): Promise<string | null> {
    try {
      const signal = AbortSignal.timeout(deadlineMs);
      const answer = await request(`${origin}/metrics`, { dispatcher, headers: { host }, signal });
      const text = await answer.body.text();
      return answer.statusCode === 200 ? text : null;
    } catch {
      return null;
    }
  }

  return {
    async addTo(text) {
      const replicas = await Promise.all(
        Object.entries(services).map(async ([service, set]) =>
          (await set.list()).map(({ origin, host }) => ({ service, origin, host, replica: new URL(origin).host })),
        ),
      );
      const answers = await Promise.all(
        replicas.flat().map(async (one) => ({ ...one, metrics: await read(one.origin, one.host) })),
      );
      const up = answers.map(
        ({ service, replica, metrics }) =>
          `service_up{service="${service}",replica="${replica}"} ${metrics === null ? 0 : 1}`,
      );
      text.add([`# HELP service_up ${metricFamilies.service_up.help}`, "# TYPE service_up gauge", ...up].join("\n"));
      for (const { replica, metrics } of answers) if (metrics !== null) text.add(metrics, { replica });
    },
    close: () => dispatcher.destroy(),
  };
}
