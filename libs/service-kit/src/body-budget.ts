import { limits } from "@touchstone/contracts";
import type { AppError } from "./app-error.ts";
import { createFairLine, type FairLine } from "./fair-line.ts";
import { createFairShare, type FairShare, type ShareUnit, type Tenant } from "./fair-share.ts";

/** How long a large body may wait for its turn: what it is told to wait before it tries again. */
const turnMs = 1_000;
/** Large bodies of one project that may wait; each keeps a connection and what fits into its buffers. */
const turnsMax = 256;
/** What one tenant may use. A small rest for the others is enough, since large bodies wait and slow ones give way. */
const parts = { projectPart: 8 / 9, organizationPart: 16 / 17 };

/**
 * Bounds the memory of all request bodies that a process has in hand: on the wire, inflated, and what is made of them.
 *
 * Small bodies have a quarter of it to themselves and large ones the rest, so that large ones never take the room of small ones: four exports being
 * inflated are no reason to refuse a trace of a kilobyte. A body is large for good once it has taken more than
 * `limits.smallBodyMaxBytes`. Large ones wait their turn, for a second at most: the tenant that uses least is next, and for each tenant
 * the oldest, so none is overtaken for ever by smaller ones. The only one in hand is admitted whatever its size. One
 * that is in may grow and does not wait for it, since two that waited for each other would never end.
 *
 * Tenants share both parts ({@link FairShare}). If there is still no room for a tenant's body, bodies that are still arriving give
 * way, of tenants that use more: a client that sends slowly shuts out no other tenant.
 */
export interface BodyBudget {
  /**
   * A share of nothing yet, which throws what `refuse` makes when there is no room. It must be released. Shares without a tenant
   * count as those of one tenant.
   */
  open(refuse: (obstacle: ShareUnit) => AppError, tenant?: Tenant): BodyShare;
  /** What is in hand. */
  bytes(): { small: number; large: number };
  readonly shares: { bodies_small: FairShare; bodies_large: FairShare };
}

/** What one request has in hand. */
export interface BodyShare {
  /** Makes room for so many bytes more, in turn if that makes it a large one. Rejects when there is none in time. */
  enter(bytes: number): Promise<void>;
  /** Makes room at once or throws; negative bytes are given back. */
  take(bytes: number): void;
  /**
   * The body is arriving. Until this is called with null it may have to give way: then its room is gone and `end` is called
   * with the refusal.
   */
  giveWay(end: ((refusal: AppError) => void) | null): void;
  /** Gives everything back, for good. One that still waits, or wants more afterwards, is refused. */
  release(): void;
}

export interface BodyBudgetOptions {
  /** What one project may have in hand; all together an eighth more. */
  bytesMax: number;
  turnMs?: number;
  turnsMax?: number;
}

const nobody: Tenant = { projectId: "nobody", organizationId: null };

/** What all bodies of a process have in common. */
interface Parts {
  small: FairShare;
  large: FairShare;
  /** Large bodies that wait. */
  turns: FairLine<Turn>;
  /** Bodies that are still on their way. */
  arriving: Set<HeldBody>;
  turnMs: number;
  turnsMax: number;
}

export function createBodyBudget(options: BodyBudgetOptions): BodyBudget {
  const smallMaxBytes = options.bytesMax / 4;
  const createPart = (projectMaxBytes: number): FairShare =>
    createFairShare({ total: projectMaxBytes / parts.projectPart, ...parts });
  const small = createPart(smallMaxBytes);
  const large = createPart(options.bytesMax - smallMaxBytes);
  const all: Parts = {
    small,
    large,
    turns: createFairLine<Turn>(large),
    arriving: new Set(),
    turnMs: options.turnMs ?? turnMs,
    turnsMax: options.turnsMax ?? turnsMax,
  };
  return {
    bytes: () => ({ small: small.held(), large: large.held() }),
    shares: { bodies_small: small, bodies_large: large },
    open: (refuse, tenant = nobody) => new HeldBody(all, refuse, tenant),
  };
}

interface Turn {
  tenant: Tenant;
  /** What keeps it out; null if it is in. */
  tryEnter(): ShareUnit | null;
}

/** A class, because each request needs one and a dozen closures would take ten times as long. */
class HeldBody implements BodyShare {
  readonly tenant: Tenant;
  readonly #all: Parts;
  readonly #refuse: (obstacle: ShareUnit) => AppError;
  amount = 0;
  isLarge = false;
  /** Set once it had to give way. */
  #refusal: AppError | null = null;
  #isReleased = false;
  #stopWaiting: (() => void) | null = null;
  #end: ((refusal: AppError) => void) | null = null;

  constructor(all: Parts, refuse: (obstacle: ShareUnit) => AppError, tenant: Tenant) {
    this.#all = all;
    this.#refuse = refuse;
    this.tenant = tenant;
  }

  // Callers pass these two on as functions.
  readonly enter = async (bytes: number): Promise<void> => {
    const total = this.amount + bytes;
    const becomesLarge = !this.isLarge && total > limits.smallBodyMaxBytes;
    if (!becomesLarge || this.#refusal !== null || this.#isReleased) return this.take(bytes);
    const { turns, turnsMax: waitingMax } = this.#all;
    if (turns.size() === 0 && this.#obstacleTo(total) === null) return this.#set(total);
    if (turns.sizeOf(this.tenant) >= waitingMax) throw this.#refused("project");
    return this.#waitForTurn(total);
  };

  readonly take = (bytes: number): void => {
    if (this.#refusal !== null) throw this.#refusal;
    // Nothing would give back what work that is still going on takes now: it ends instead.
    if (this.#isReleased && bytes > 0) throw this.#refuse("total");
    if (this.#isReleased) return;
    const total = this.amount + bytes;
    const obstacle = bytes > 0 ? this.#obstacleTo(total) : null;
    if (obstacle !== null && !this.#makeRoom(total)) throw this.#refused(obstacle);
    this.#set(total);
  };

  giveWay(end: ((refusal: AppError) => void) | null): void {
    this.#end = end;
    if (end === null) this.#all.arriving.delete(this);
    else this.#all.arriving.add(this);
  }

  release(): void {
    this.#isReleased = true;
    if (this.#end !== null) this.giveWay(null);
    this.#stopWaiting?.();
    if (this.amount > 0) this.#set(0);
  }

  /** Gives way to another tenant. */
  #yield(): void {
    const end = this.#end;
    this.giveWay(null);
    this.#stopWaiting?.();
    this.#refusal = this.#refuse(this.tenant.organizationId === null ? "project" : "organization");
    this.#part.counts.taken_back += 1;
    // No waiting body is admitted: the room is for the one that caused this.
    this.#part.hold(this.tenant, -this.amount);
    this.amount = 0;
    end?.(this.#refusal);
  }

  get #part(): FairShare {
    return this.isLarge ? this.#all.large : this.#all.small;
  }

  /** The part to which it belongs with so many bytes. */
  #partWith(total: number): FairShare {
    return this.isLarge || total > limits.smallBodyMaxBytes ? this.#all.large : this.#all.small;
  }

  #obstacleTo(total: number): ShareUnit | null {
    const wanted = this.#partWith(total);
    const alreadyThere = wanted === this.#part ? this.amount : 0;
    if (wanted === this.#all.large && wanted.held() === alreadyThere) return null;
    return wanted.obstacleTo(this.tenant, total - alreadyThere);
  }

  /** Takes the room of bodies that are still arriving. */
  #makeRoom(total: number): boolean {
    const wanted = this.#partWith(total);
    const alreadyThere = wanted === this.#part ? this.amount : 0;
    const bodies = [...this.#all.arriving].filter((body) => body.#part === wanted && body.amount > 0);
    const yielding = wanted.toMakeRoom(this.tenant, total - alreadyThere, bodies);
    for (const body of yielding ?? []) body.#yield();
    return yielding !== null;
  }

  #refused(obstacle: ShareUnit): AppError {
    this.#part.counts[`refused_${obstacle}`] += 1;
    return this.#refuse(obstacle);
  }

  #set(total: number): void {
    const before = this.amount;
    if (before > 0) this.#part.hold(this.tenant, -before);
    this.isLarge ||= total > limits.smallBodyMaxBytes;
    if (total > 0) this.#part.hold(this.tenant, total);
    this.amount = total;
    if (total < before && this.#all.turns.size() > 0) this.#callNext();
  }

  #callNext(): void {
    this.#all.turns.serve((turn) => turn.tryEnter());
  }

  #waitForTurn(total: number): Promise<void> {
    const { turns, turnMs: waitMs } = this.#all;
    return new Promise((resolve, reject) => {
      let obstacle: ShareUnit = "total";
      const enter = (): void => {
        clearTimeout(timer);
        this.#stopWaiting = null;
        this.#set(total);
        resolve();
      };
      const turn: Turn = {
        tenant: this.tenant,
        tryEnter: () => {
          const found = this.#obstacleTo(total);
          if (found === null) enter();
          else obstacle = found;
          return found;
        },
      };
      const giveUp = (isGone: boolean): void => {
        clearTimeout(timer);
        this.#stopWaiting = null;
        turns.remove(turn);
        if (!isGone && this.#makeRoom(total)) enter();
        else reject(isGone ? this.#refuse(obstacle) : this.#refused(obstacle));
        // The next one may want less.
        this.#callNext();
      };
      const timer = setTimeout(() => giveUp(false), waitMs);
      this.#stopWaiting = () => giveUp(true);
      turns.add(turn);
      this.#callNext();
    });
  }
}
