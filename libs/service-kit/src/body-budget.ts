import { limits } from "@touchstone/contracts";
import type { AppError } from "./app-error.ts";
import { createFairLine, type FairLine } from "./fair-line.ts";
import { createFairShare, type FairShare, type ShareUnit, type Tenant } from "./fair-share.ts";

/** How long a large body may wait for its turn; also the Retry-After of its refusal. */
const turnMs = 1_000;
/** The number of large bodies of one project that may wait; each keeps a connection and its buffers. */
const turnsMax = 256;
/**
 * The maximum share of one tenant. A small rest for the others is enough, because large bodies wait and slow ones give
 * way.
 */
const parts = { projectPart: 8 / 9, organizationPart: 16 / 17 };

/**
 * Bounds the memory of all request bodies that a process is handling: on the wire, inflated, and decoded.
 *
 * A quarter is reserved for small bodies, and large ones use the rest, so that large ones never displace small ones:
 * four exports being inflated are no reason to refuse a trace of a kilobyte. A body is permanently large once it has
 * taken more than `limits.smallBodyMaxBytes`. Large ones wait their turn, for a second at most: the tenant with the
 * smallest share is next, and for each tenant the oldest body, so that smaller ones cannot overtake it indefinitely. If
 * there is no other body, one is admitted whatever its size. An admitted body may grow without waiting, because two
 * that waited for each other would deadlock.
 *
 * Tenants share both parts ({@link FairShare}). If there is still no memory for a tenant's body, bodies of tenants with
 * larger shares that are still arriving give way: a slow client cannot block another tenant.
 */
export interface BodyBudget {
  /**
   * An empty share; `refuse` creates the error that is thrown when there is no memory. It must be released. Shares
   * without a tenant count as those of one tenant.
   */
  open(refuse: (obstacle: ShareUnit) => AppError, tenant?: Tenant): BodyShare;
  /** The memory in use. */
  bytes(): { small: number; large: number };
  readonly shares: { bodies_small: FairShare; bodies_large: FairShare };
}

/** The memory of one request. */
export interface BodyShare {
  /** Reserves this many more bytes, in turn if that makes it a large body. Rejects when there is no memory in time. */
  enter(bytes: number): Promise<void>;
  /** Reserves memory at once or throws; negative bytes are released. */
  take(bytes: number): void;
  /**
   * The body is arriving. Until this is called with null it may have to give way: then its memory is released and `end`
   * is called with the refusal.
   */
  giveWay(end: ((refusal: AppError) => void) | null): void;
  /** Releases everything permanently. A share that still waits, or requests more afterwards, is refused. */
  release(): void;
}

export interface BodyBudgetOptions {
  /** The maximum of one project; all together may use an eighth more. */
  bytesMax: number;
  turnMs?: number;
  turnsMax?: number;
}

const nobody: Tenant = { projectId: "nobody", organizationId: null };

/** The state that all bodies of a process share. */
interface Parts {
  small: FairShare;
  large: FairShare;
  /** Large bodies that wait. */
  turns: FairLine<Turn>;
  /** Bodies that are still arriving. */
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
  /** The reason why it is not admitted; null if it is. */
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
    // Memory for work that continues after the release would never be released: the work ends instead.
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
    // No waiting body is admitted: the memory is for the one that caused this.
    this.#part.hold(this.tenant, -this.amount);
    this.amount = 0;
    end?.(this.#refusal);
  }

  get #part(): FairShare {
    return this.isLarge ? this.#all.large : this.#all.small;
  }

  /** The part it belongs to with this many bytes. */
  #partWith(total: number): FairShare {
    return this.isLarge || total > limits.smallBodyMaxBytes ? this.#all.large : this.#all.small;
  }

  #obstacleTo(total: number): ShareUnit | null {
    const wanted = this.#partWith(total);
    const alreadyThere = wanted === this.#part ? this.amount : 0;
    if (wanted === this.#all.large && wanted.held() === alreadyThere) return null;
    return wanted.obstacleTo(this.tenant, total - alreadyThere);
  }

  /** Takes the memory of bodies that are still arriving. */
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
        // The next one may need less.
        this.#callNext();
      };
      const timer = setTimeout(() => giveUp(false), waitMs);
      this.#stopWaiting = () => giveUp(true);
      turns.add(turn);
      this.#callNext();
    });
  }
}
