import { limits } from "@touchstone/contracts";
import { AppError, ComputeError, type ComputePool, defineComputeTask } from "@touchstone/service-kit";
import { Moved } from "@touchstone/service-kit/thread";
import {
  type ComposedDataset,
  compareCases,
  composeDataset,
  editDataset,
  findCaseMistake,
  findDatasetItem,
  listDatasetItems,
  readCases,
  readDatasetHead,
  readRows,
  summarizeDataset,
  type Worked,
} from "./dataset-work-thread.ts";

const works = {
  compareCases,
  composeDataset,
  editDataset,
  findCaseMistake,
  findDatasetItem,
  listDatasetItems,
  readCases,
  readDatasetHead,
  readRows,
  summarizeDataset,
};

type Works = typeof works;
type Input<Name extends keyof Works> = Parameters<Works[Name]>[0];
type Result<Name extends keyof Works> = Exclude<ReturnType<Works[Name]>, Moved<unknown>>;
type Value<Name extends keyof Works> = Extract<Result<Name>, { value: unknown }>["value"];

export interface WorkSize {
  projectId: string;
  /** The size of the texts that are worked on. */
  size: number;
}

/** Runs a function of dataset-work-thread.ts. Throws the {@link AppError} that it refuses with. */
export type WorkOnDataset = <Name extends keyof Works>(
  name: Name,
  input: Input<Name>,
  of: WorkSize,
) => Promise<Value<Name>>;

/** The slowest ten megabytes take two seconds; a machine may be busy. A transaction may be idle for 30 s. */
const deadlineMs = 25_000;

const file = new URL("./dataset-work-thread.ts", import.meta.url);

/**
 * Work over small documents takes less than a millisecond and runs at once; over large ones it would block the event loop for
 * as long as half a second, and runs in a thread.
 */
export function createDatasetWork(threads: ComputePool): WorkOnDataset {
  return async (name, input, { projectId, size }) => {
    const result = size <= limits.smallBodyMaxBytes ? runHere(name, input) : await runApart(name, input, projectId);
    if ("refusal" in result) throw new AppError(result.refusal.code, result.refusal.message);
    return result.value as never;
  };

  async function runApart(name: string, input: object, projectId: string): Promise<Worked<unknown>> {
    const task = defineComputeTask<(input: object) => Worked<unknown>>(name, file);
    // A body may share its memory, and is sent again if its caller tries again: a copy is moved.
    const body = "body" in input && input.body instanceof Uint8Array ? new Uint8Array(input.body) : null;
    const asked = body === null ? input : { ...input, body };
    const transfer = body === null ? [] : [body.buffer];
    try {
      return await threads.run(task, asked, { deadlineMs, projectId, transfer });
    } catch (thrown) {
      if (!(thrown instanceof ComputeError)) throw thrown;
      throw new AppError("service_unavailable", sentences[thrown.kind], { cause: thrown });
    }
  }
}

/** The dataset that was composed. Throws the mistake in its body. */
export function requireComposed(composed: ComposedDataset): Exclude<ComposedDataset, { mistake: unknown }> {
  if ("mistake" in composed) throw new AppError(composed.mistake.code, composed.mistake.message);
  return composed;
}

const sentences: Record<ComputeError["kind"], string> = {
  busy: "Too many large datasets are being read or changed; retry.",
  timeout: "The dataset took too long to read; retry.",
  memory: "The dataset takes too much memory to read; split it.",
  unavailable: "The service is stopping; retry.",
};

function runHere(name: keyof Works, input: unknown): Worked<unknown> {
  const result = (works[name] as (input: unknown) => Worked<unknown> | Moved<Worked<unknown>>)(input);
  return result instanceof Moved ? result.value : result;
}
