import { createBoundedCache } from "@touchstone/service-kit";
import { questionTextsOf } from "../datasets/change-cases.ts";
import { itemIdOf } from "../datasets/dataset-item.ts";
import type { DatasetStore } from "../datasets/dataset-store.ts";
import { VersionGone } from "../datasets/version-gone.ts";

/** Where the cases of a version are, by the ids that clients know them by. */
export interface PlacesOfVersion {
  indexes: ReadonlyMap<string, number>;
}

/** Places of cases, read once and cached: a version never changes. Both throw {@link VersionGone}. */
export interface CasePlaces {
  read(projectId: string, datasetId: string, version: number): Promise<PlacesOfVersion>;
  /** True if the cases of one version are the first ones of another, unchanged. */
  hasGrown(projectId: string, datasetId: string, versions: { from: number; to: number }): Promise<boolean>;
}

/** Characters of ids. */
const idCharsMax = 8 * 1024 * 1024;

export function createCasePlaces(datasets: Pick<DatasetStore, "readVersion">): CasePlaces {
  const kept = createBoundedCache<PlacesOfVersion>(idCharsMax);

  async function readTexts(projectId: string, datasetId: string, version: number): Promise<string[]> {
    const document = await datasets.readVersion(projectId, datasetId, version);
    if (document === null) throw new VersionGone();
    return questionTextsOf(document);
  }

  return {
    async read(projectId, datasetId, version) {
      const key = `${projectId}/${datasetId}/${version}`;
      const known = kept.get(key);
      if (known !== undefined) return known;
      const ids = (await readTexts(projectId, datasetId, version)).map((text, index) =>
        itemIdOf(text, datasetId, index),
      );
      const places = { indexes: new Map(ids.map((id, index) => [id, index])) };
      kept.set(
        key,
        places,
        ids.reduce((chars, id) => chars + id.length, key.length),
      );
      return places;
    },

    async hasGrown(projectId, datasetId, { from, to }) {
      const before = await readTexts(projectId, datasetId, from);
      const after = await readTexts(projectId, datasetId, to);
      return before.length < after.length && before.every((text, index) => text === after[index]);
    },
  };
}
