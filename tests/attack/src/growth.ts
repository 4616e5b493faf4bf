import type { Bars, Measurement } from "./bars.ts";
import type { Setting } from "./tenants.ts";

/** The least resident memory that an installation had between two attacks of a round: what it never gave back. */
export interface Floor {
  setting: Setting;
  /** Of the round. */
  seed: number;
  /** When the round began, in minutes since the start. */
  minute: number;
  residentMb: number;
  /** It was started again in this round, so nothing that it kept before can show. */
  wasRestarted: boolean;
}

/** Until then an installation fills its caches. */
const fullAfterMinutes = 30;

/** Adds a measurement to the floor of its round and setting. */
export function noteFloor(
  floors: Floor[],
  round: Pick<Floor, "seed" | "minute" | "setting">,
  { window, wasRestarted, usualMb }: Pick<Measurement, "window" | "wasRestarted" | "usualMb">,
): void {
  // It was just started.
  if (usualMb === null) return;
  const { before, after } = window.memoryMb;
  const residentMb = wasRestarted ? before : Math.min(before, after);
  const floor = floors.find(({ seed, setting }) => seed === round.seed && setting === round.setting);
  if (floor === undefined) floors.push({ ...round, residentMb, wasRestarted });
  else {
    floor.residentMb = Math.min(floor.residentMb, residentMb);
    floor.wasRestarted ||= wasRestarted;
  }
}

/** One line for each setting: when its rounds began, and their floors. */
export function describeFloors(floors: readonly Floor[]): string {
  const lines = bySetting(floors).map(([setting, own]) => {
    const told = own.map(
      ({ minute, residentMb, wasRestarted }) =>
        `${residentMb.toFixed(0)} MB from minute ${minute.toFixed(0)}${wasRestarted ? " (restarted)" : ""}`,
    );
    return `  ${setting}: ${told.join(", ")}`;
  });
  return ["Least memory between two attacks, by round:", ...lines].join("\n");
}

/** A sentence for each installation whose memory grew after its first half hour; none for shorter runs. */
export function findGrowth(floors: readonly Floor[], { memoryKept }: Pick<Bars, "memoryKept">): string[] {
  return bySetting(floors).flatMap(([setting, own]) => {
    const lastRestart = own.findLastIndex(({ wasRestarted }) => wasRestarted);
    const [first, ...later] = own.slice(lastRestart + 1).filter(({ minute }) => minute >= fullAfterMinutes);
    const last = later.at(-1);
    if (first === undefined || last === undefined || last.residentMb <= first.residentMb * memoryKept) return [];
    return [
      `${setting}: least memory ${last.residentMb.toFixed(0)} MB from minute ${last.minute.toFixed(0)}, ${first.residentMb.toFixed(0)} MB from minute ${first.minute.toFixed(0)}`,
    ];
  });
}

function bySetting(floors: readonly Floor[]): [Setting, Floor[]][] {
  return [...Map.groupBy(floors, ({ setting }) => setting)];
}
