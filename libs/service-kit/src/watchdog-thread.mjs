// The thread beside the event loop: it ends the process when the loop cannot (decision 48). It is JavaScript, because
// the compiler that strips types would take 17 MB more.
import { write } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { workerData } from "node:worker_threads";

const { shared, service, stallAfterMs, stopWithinMs, stalledExitCode } = workerData;

const tickMs = 250;
/** The loop reports four times a second; after this long without a report it is blocked and not only busy. */
const blockedAfterMs = 1_000;
/** How long the loop may take to be interrupted, and then to exit; code that cannot be interrupted is killed. */
const pauseWithinMs = 3_000;
const exitWithinMs = 3_000;
const framesMax = 10;

let beats = 0;
let blockedMs = 0;
let stoppingMs = 0;
let isStopping = false;
let tickedAtMs = performance.now();

hearSignals();
const ticking = setInterval(tick, tickMs);

function tick() {
  // A process that was frozen, or a laptop that slept, was not blocked: a late tick counts only for its usual length.
  const elapsedMs = Math.min(tickMs, performance.now() - tickedAtMs);
  tickedAtMs = performance.now();
  const beatsNow = Atomics.load(shared, 0);
  blockedMs = beatsNow === beats ? blockedMs + elapsedMs : 0;
  beats = beatsNow;
  if (isStopping || Atomics.load(shared, 1) === 1) stoppingMs += elapsedMs;
  if (stoppingMs >= stopWithinMs && blockedMs >= blockedAfterMs) {
    void end("error", "the stop took too long, because the event loop is blocked; exiting", 1);
  } else if (stallAfterMs !== null && blockedMs >= stallAfterMs) {
    void end("fatal", "the event loop is blocked; exiting", stalledExitCode);
  }
}

/**
 * Node delivers signals to the main thread only. Node's own tests use this to receive them in any thread. Where it is
 * unavailable, a blocked loop does not end at a signal, but only when it has been blocked for too long.
 */
function hearSignals() {
  try {
    const { Signal } = process.getBuiltinModule("internal/test/binding").internalBinding("signal_wrap");
    for (const number of [2, 15]) {
      const signal = new Signal();
      signal.unref();
      signal.onsignal = () => {
        isStopping = true;
        // A second Ctrl-C ends the process at once, as it does without this.
        signal.close();
      };
      signal.start(number);
    }
  } catch {}
}

/**
 * Writes what blocks the loop, and exits. Signals alone do not suffice: they do not end the first process of a
 * container.
 */
async function end(level, message, exitCode) {
  clearInterval(ticking);
  const paused = await pauseLoop().catch(() => null);
  const facts = { blockedMs: Math.round(blockedMs), blockedIn: paused?.frames ?? [] };
  // The reader of the output may be what hangs.
  await Promise.race([writeLine(render(level, message, facts)), sleep(500)]);
  if (paused !== null) {
    paused.exit(exitCode);
    await sleep(exitWithinMs);
  }
  process.kill(process.pid, "SIGKILL");
}

/** Interrupts the loop; rejects where that is not possible. */
async function pauseLoop() {
  const { Session } = await import("node:inspector");
  const session = new Session();
  session.connectToMainThread();
  const urls = new Map();
  session.on("Debugger.scriptParsed", ({ params }) => urls.set(params.scriptId, params.url));
  const frames = await new Promise((resolve, reject) => {
    setTimeout(reject, pauseWithinMs);
    session.once("Debugger.paused", ({ params }) => resolve(params.callFrames));
    session.post("Debugger.enable");
    session.post("Debugger.pause");
  });
  return {
    frames: frames.slice(0, framesMax).map((frame) => describeFrame(frame, urls.get(frame.location.scriptId))),
    exit(code) {
      // Standard error is closed first: Node would write there that it waits for a debugger.
      const expression = `globalThis.process.getBuiltinModule("fs").closeSync(2); globalThis.process.reallyExit(${code})`;
      session.post("Runtime.evaluate", { expression });
    },
  };
}

function describeFrame({ functionName, location }, url) {
  return `${functionName || "<anonymous>"} (${url}:${location.lineNumber + 1}:${(location.columnNumber ?? 0) + 1})`;
}

/** A line of a service's log, or sentences for the terminal. */
function render(level, message, facts) {
  if (service !== null) {
    return JSON.stringify({ level, time: new Date().toISOString(), service, ...facts, msg: message });
  }
  const seconds = Math.round(facts.blockedMs / 1_000);
  const where = facts.blockedIn.map((frame) => `\n    at ${frame}`).join("");
  return `${message[0].toUpperCase()}${message.slice(1)}. It was blocked for ${seconds} s. What was acknowledged is stored.${where}`;
}

function writeLine(line) {
  return new Promise((resolve) => write(2, `${line}\n`, () => resolve()));
}
