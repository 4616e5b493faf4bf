import { internalRoutes, isUuid } from "@touchstone/contracts";
import {
  AppError,
  type Clock,
  gatherCalls,
  type Handler,
  type JsonMember,
  membersOf,
  memberText,
  objectText,
  readJsonObject,
  requireProject,
  uuidv7,
} from "@touchstone/service-kit";
import type { z } from "zod";
import { datasetIdIn } from "../datasets/dataset-item.ts";
import type { DatasetStore } from "../datasets/dataset-store.ts";
import type { NamedDatasetStore } from "../datasets/named-dataset-store.ts";
import { VersionGone } from "../datasets/version-gone.ts";
import type { Grading } from "../grading/cases.ts";
import { writePlan } from "../grading/plan.ts";
import { externalSource, leftToClient, type SubmittedResult } from "../judging/judgement.ts";
import { composeResult, digestKey, type StoredResult } from "../results/stored-result.ts";
import type { Gradings } from "../runs/gradings.ts";
import type { CasePlaces } from "./case-places.ts";
import type { KnownRun, NamedRunStore, NewItem, RunName, StoredItem } from "./named-run-store.ts";
import { renderItem } from "./run-list-reader.ts";

export interface ItemDependencies {
  store: NamedRunStore;
  datasets: Pick<DatasetStore, "findVersion">;
  places: CasePlaces;
  gradings: Gradings;
  clock: Clock;
  onStored: (result: StoredResult) => void;
}

export interface KeepDependencies {
  keep: KeepItem;
  named: Pick<NamedDatasetStore, "findCaseId">;
  clock: Clock;
}

type Sent = Omit<z.output<typeof internalRoutes.keepRunItem.body>, "metadata">;

/** An item on its way into the run of its name. */
export interface SentItem extends RunName {
  sent: Sent;
  /** JSON text; undefined = not sent. */
  metadata: string | undefined;
  /** Of the run; undefined = whichever has the name, or a new one. */
  runId?: string | undefined;
}

/**
 * Keeps an item; null for a case that the dataset does not have. Those of one run that are kept at a time are stored together. Throws
 * {@link NameTaken}.
 */
export type KeepItem = (item: SentItem) => Promise<StoredItem | null>;

/** Another run than the one of the id has the name by now. */
export class NameTaken extends Error {
  override readonly name = "NameTaken";
}

export function createItemKeeper(dependencies: ItemDependencies): KeepItem {
  return gatherCalls((items: readonly SentItem[]) => keepItems(dependencies, items), {
    keyOf: ({ projectId, datasetId, name, runId = "" }) => `${projectId} ${datasetId} ${runId} ${name}`,
    itemsMax: itemsAtOnceMax,
  });
}

/** Items of a run that are stored together; further ones wait for the next transaction. */
const itemsAtOnceMax = 100;
/** The run or its dataset changes while items are composed: how often they are composed again. */
const attemptsMax = 5;
/** The batch of every result that came in this way. */
const batchId = externalSource;

/** Adds an item to the external run of a name (dropin 1.6). */
export function keepRunItem({ keep, named, clock }: KeepDependencies): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { text, value } = await readJsonObject(call);
    const { metadata: _, ...sent } = internalRoutes.keepRunItem.body.parse(value);
    const datasetId = await findDatasetOf(named, projectId, sent.caseId);
    if (datasetId === null) return { status: 200, body: '{"item":null}' };
    const createdAt = sent.createdAt ?? new Date(clock.now()).toISOString();
    const metadata = value.metadata === null ? undefined : memberText(text, "metadata");
    const kept = await keep({ projectId, datasetId, name: sent.runName, sent: { ...sent, createdAt }, metadata });
    return { status: 200, body: `{"item":${kept === null ? "null" : renderItem(kept, sent.runName)}}` };
  };
}

/** The dataset that has a case; null: none was found. */
export async function findDatasetOf(
  named: Pick<NamedDatasetStore, "findCaseId">,
  projectId: string,
  caseId: string,
): Promise<string | null> {
  const datasetId = (await named.findCaseId(projectId, caseId)) ?? datasetIdIn(caseId);
  return datasetId !== null && isUuid(datasetId) ? datasetId : null;
}

/** Keeps items of one run, in order; null for a case that the dataset does not have. */
async function keepItems(dependencies: ItemDependencies, items: readonly SentItem[]): Promise<(StoredItem | null)[]> {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const kept = await tryToKeep(dependencies, items).catch((thrown: unknown) => {
      if (thrown instanceof VersionGone) return null;
      throw thrown;
    });
    if (kept !== null) return kept;
  }
  throw new AppError("service_unavailable", "The dataset of the run changes at the moment; retry.");
}

/** Null: the run or its dataset changed meanwhile. */
async function tryToKeep(
  dependencies: ItemDependencies,
  items: readonly SentItem[],
): Promise<(StoredItem | null)[] | null> {
  const { store, onStored } = dependencies;
  const [run] = items as [SentItem];
  const before = await store.find(run);
  if (run.runId !== undefined && before !== null && before.id !== run.runId) throw new NameTaken();
  const placed = await placeItems(dependencies, before, items);
  if (placed === null) return items.map(() => null);
  const change = await composeChange(dependencies, before, placed);
  const added = await store.add(
    run,
    change,
    placed.items.map(({ item }) => item),
  );
  if (added === null) return null;
  added.results.forEach(onStored);
  const kept = new Map(placed.items.map(({ from }, index) => [from, added.items[index] as StoredItem]));
  return items.map((item) => kept.get(item) ?? null);
}

interface PlacedItems {
  run: SentItem;
  datasetVersion: number;
  /** Those whose case exists. */
  items: { from: SentItem; item: NewItem }[];
}

/**
 * Finds the cases of items in the version that the run uses. A run that grows with its dataset takes the newest version, if that only
 * has more cases. An item whose case is in neither has no place: its result answers no question of the run. Null: no case exists.
 */
async function placeItems(
  { datasets, places, gradings, clock }: ItemDependencies,
  before: KnownRun | null,
  items: readonly SentItem[],
): Promise<PlacedItems | null> {
  const [run] = items as [SentItem];
  const { projectId, datasetId } = run;
  const newest = await datasets.findVersion(projectId, datasetId);
  if (newest === null) return null;
  let datasetVersion = before?.datasetVersion ?? newest;
  let own = await places.read(projectId, datasetId, datasetVersion);
  let known = own;
  if (datasetVersion !== newest && items.some(({ sent }) => !own.indexes.has(sent.caseId))) {
    known = await places.read(projectId, datasetId, newest);
    if (await places.hasGrown(projectId, datasetId, { from: datasetVersion, to: newest })) {
      datasetVersion = newest;
      own = known;
    }
  }
  const existing = items.filter(({ sent }) => own.indexes.has(sent.caseId) || known.indexes.has(sent.caseId));
  if (existing.length === 0) return null;
  const grading = await gradings.ofDataset(projectId, datasetId, datasetVersion);
  const graded = before === null ? grading : { ...grading, plan: await gradings.planOf(projectId, before) };
  const composed = existing.map((from) => ({
    from,
    item: composeItem(from, own.indexes.get(from.sent.caseId) ?? null, graded, clock),
  }));
  return { run, datasetVersion, items: composed };
}

function composeItem(
  { sent }: SentItem,
  questionIndex: number | null,
  { plan, cases }: Grading,
  clock: Clock,
): NewItem {
  const { caseId, traceId, observationId, otel } = sent;
  const idempotencyKey = JSON.stringify([caseId, traceId]);
  const evaluationCase = questionIndex === null ? null : (cases[questionIndex] ?? null);
  return {
    ...{ caseId, traceId, observationId, spanId: otel.spanId, questionIndex },
    keyDigest: digestKey(idempotencyKey),
    createdAt: new Date(sent.createdAt ?? clock.now()),
    compose(runNumber) {
      const submitted: SubmittedResult = {
        ...{ idempotencyKey, caseId, questionIndex, runNumber, traceId: otel.traceId },
        ...{ query: null, outputText: null, error: null, retrievalContext: null, scores: null },
        ...{ latencyMs: null, inputTokens: null, outputTokens: null, isVariant: false, variantText: null },
      };
      const graded = { plan, evaluationCase, batchId };
      return composeResult(uuidv7(clock.now()), submitted, leftToClient(submitted), graded);
    },
  };
}

async function composeChange(
  { gradings, clock }: Pick<ItemDependencies, "gradings" | "clock">,
  before: KnownRun | null,
  { run, datasetVersion, items }: PlacedItems,
) {
  const { projectId, datasetId, name } = run;
  const { plan } = await gradings.ofDataset(projectId, datasetId, datasetVersion);
  const now = clock.now();
  const madeAt = timeOfRun(items, now);
  const subject = items.reduce<string>(
    (soFar, { from }) => describe(soFar, from),
    before?.subject ?? JSON.stringify({ kind: "experiment", displayName: name }),
  );
  return {
    before,
    datasetVersion,
    subject,
    at: new Date(now),
    made: {
      ...{
        id: run.runId ?? uuidv7(madeAt),
        datasetId,
        plan: writePlan(plan),
        verdictMode: "live" as const,
        runSource: externalSource,
      },
      ...{ evaluationSettingsId: null, scorerGroupId: null, additionalScorerIds: null },
      ...{ smokeTestVariants: null, sdk: null, createdAt: new Date(madeAt) },
    },
  };
}

/**
 * When a new run was made: at the time of its earliest item, as runs may be imported newest first. A time in the future counts as now,
 * one before 1970 as none.
 */
function timeOfRun(items: PlacedItems["items"], now: number): number {
  return Math.min(now, ...items.map(({ item }) => item.createdAt.getTime()).filter((ms) => ms > 0));
}

/** The subject of a run after an item: what was sent with it replaces what was there. */
function describe(subject: string, { sent, metadata }: SentItem): string {
  const told: JsonMember[] = [
    ...(sent.description === undefined ? [] : [{ name: "description", valueText: JSON.stringify(sent.description) }]),
    ...(metadata === undefined ? [] : [{ name: "metadata", valueText: metadata }]),
  ];
  const kept = membersOf(subject).filter(({ name }) => !told.some((member) => member.name === name));
  return told.length === 0 ? subject : objectText([...kept, ...told]);
}
