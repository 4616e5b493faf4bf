import { encodeList, Pieces } from "@touchstone/service-kit";
import { renderDataset, wrapDataset } from "./dataset-document.ts";

/** A dataset as it is answered. A document in bytes is not copied. */
export async function answerDataset(dataset: {
  id: string;
  version: number;
  document: string | Uint8Array;
  createdAt: Date;
}): Promise<string | Pieces> {
  const { document } = dataset;
  if (typeof document === "string") return encodeList("", [renderDataset({ ...dataset, document })], "");
  return new Pieces(piecesOfDataset(dataset, document));
}

/** The pieces of a dataset as it is answered. */
export function piecesOfDataset(
  dataset: { id: string; version: number; createdAt: Date },
  document: Uint8Array,
): Buffer[] {
  const [head, tail] = wrapDataset(dataset);
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.byteLength);
  return [Buffer.from(head), bytes.subarray(1, -1), Buffer.from(tail)];
}
