/** A scorer that tries to escape, to run too long or to use too much memory, and the outcome. */
export interface HostileScorer {
  title: string;
  code: string;
  /** The score, or a pattern the error matches. */
  outcome: number | null | RegExp;
}

const timedOut = /^Scorer did not finish within/;
const noScore = /^Scorer must return a number or \{ score, reasoning \}$/;
const outOfMemory = /^Scorer needed more than/;
/** Which of the two limits is met first depends on the machine. */
const stopped = /^Scorer (did not finish within|needed more than)/;
const tooDeep = /^(stack overflow|Maximum call stack size exceeded|Scorer did not finish within .*)$/;

/** `outcome` 1 = the scorer found nothing that it was looking for. */
export const escapes: HostileScorer[] = [
  {
    title: "looks for the host's globals by name",
    code: `const names = ["process", "require", "module", "exports", "Buffer", "global", "window", "fetch", "WebSocket",
             "XMLHttpRequest", "setTimeout", "setInterval", "setImmediate", "queueMicrotask", "performance", "console",
             "Deno", "Bun", "std", "os", "print", "load", "WebAssembly", "SharedArrayBuffer", "Worker", "navigator"];
           return names.filter((name) => name in globalThis && name !== "queueMicrotask" && name !== "performance" &&
             name !== "SharedArrayBuffer").length === 0 ? 1 : 0;`,
    outcome: 1,
  },
  { title: "asks for the process", code: "return process.env.PATH.length;", outcome: /'?process'? is not defined/ },
  {
    title: "requires a module",
    code: `return require("fs").readFileSync("/etc/passwd").length;`,
    outcome: /is not defined/,
  },
  { title: "imports a module dynamically", code: `import("node:fs"); return 1;`, outcome: 1 },
  { title: "returns an import", code: `return import("node:child_process");`, outcome: noScore },
  { title: "imports a module statically", code: `import fs from "fs"; return 1;`, outcome: /./ },
  { title: "opens a socket", code: `return new WebSocket("ws://127.0.0.1").readyState;`, outcome: /is not defined/ },
  { title: "fetches", code: `return fetch("http://169.254.169.254/").status;`, outcome: /is not defined/ },
  {
    title: "reads a file with QuickJS's own library",
    code: `return std.loadFile("/etc/passwd").length;`,
    outcome: /is not defined/,
  },
  { title: "starts a process with QuickJS's own library", code: `return os.exec(["id"]);`, outcome: /is not defined/ },
  {
    title: "reaches a Function through constructors",
    code: `return [].constructor.constructor("return typeof process")() === "undefined" ? 1 : 0;`,
    outcome: 1,
  },
  {
    title: "reaches a Function through its arguments",
    code: `return input.constructor.constructor("return typeof require")() === "undefined" ? 1 : 0;`,
    outcome: 1,
  },
  {
    title: "reaches a Function through parsed calls",
    code: `return toolCalls.constructor.constructor("return this.process === undefined")() ? 1 : 0;`,
    outcome: 1,
  },
  {
    title: "walks every prototype of its arguments",
    code: `const seen = new Set();
           const walk = (value) => {
             if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) return;
             seen.add(value);
             for (const key of Reflect.ownKeys(value)) {
               let member;
               try { member = value[key]; } catch { continue; }
               walk(member);
             }
             walk(Object.getPrototypeOf(value));
           };
           walk([input, output, expected, toolCalls, scores, globalThis]);
           return [...seen].some((value) => value && (value.env || value.mainModule || value.binding)) ? 0 : 1;`,
    outcome: 1,
  },
  {
    title: "reaches AsyncFunction",
    code: `return (async () => {}).constructor("return typeof process")().then ? 1 : 0;`,
    outcome: 1,
  },
  {
    title: "reaches GeneratorFunction",
    code: `return (function* () {}).constructor("yield typeof process")().next().value === "undefined" ? 1 : 0;`,
    outcome: 1,
  },
  { title: "evaluates indirectly", code: `return (0, eval)("typeof process") === "undefined" ? 1 : 0;`, outcome: 1 },
  { title: "evaluates directly", code: `return eval("input.length");`, outcome: 5 },
  { title: "looks at its callers", code: "return arguments.callee.caller == null ? 1 : 0;", outcome: 1 },
  {
    title: "looks at its caller's arguments",
    code: "return (function f() { return f.caller; })() === undefined ? 1 : 0;",
    outcome: 1,
  },
  { title: "takes this for the host's global", code: "return this.process === undefined ? 1 : 0;", outcome: 1 },
  {
    title: "prepares stack traces to see frames of the host",
    code: `let frames;
           Error.prepareStackTrace = (_, given) => { frames = given; return ""; };
           new Error("x").stack;
           const found = (frames ?? []).map((frame) => frame.getThis?.() ?? frame.getFunction?.()).filter(Boolean);
           return found.some((value) => value.process || value.constructor?.("return typeof process")() === "object") ? 0 : 1;`,
    outcome: 1,
  },
  {
    title: "reads the stack for paths of the host",
    code: `return /node|touchstone|file:/.test(new Error("x").stack) ? 0 : 1;`,
    outcome: 1,
  },
  {
    title: "escapes through a host error of deep recursion",
    code: `const dig = () => { try { dig(); } catch (error) { return error; } };
           const error = dig();
           return error?.constructor?.constructor?.("return typeof process")() === "object" ? 0 : 1;`,
    outcome: 1,
  },
  {
    title: "escapes through a proxy's handler",
    code: `return new Proxy({}, { get: (_, key) => key === "score" ? (0).constructor.constructor("return +(typeof process === 'undefined')")() : undefined });`,
    outcome: 1,
  },
  {
    title: "closes the function it is the body of",
    code: `return 1; }); globalThis.process.exit(1); (function () {`,
    outcome: /./,
  },
  { title: "comments out what follows its body", code: "return 1; /*", outcome: /./ },
  { title: "ends in a line comment", code: "return 1; // no line end", outcome: 1 },
];

export const pollutions: HostileScorer[] = [
  { title: "marks the global object", code: "globalThis.marked = 1; return 1;", outcome: 1 },
  {
    title: "finds no mark of an earlier evaluation",
    code: `return typeof marked === "undefined" ? 1 : 0;`,
    outcome: 1,
  },
  { title: "pollutes Object.prototype", code: "Object.prototype.score = 0.25; return 1;", outcome: 1 },
  { title: "finds no pollution of an earlier evaluation", code: "return {};", outcome: noScore },
  {
    title: "pollutes through __proto__",
    code: `({}).__proto__.score = 0.75; return JSON.parse('{"__proto__":{"score":1}}');`,
    outcome: 0.75,
  },
  {
    title: "replaces JSON",
    code: `JSON.parse = JSON.stringify = () => '{"kind":"scored","score":99}'; return { score: 2, reasoning: "r" };`,
    outcome: 2,
  },
  {
    title: "replaces Function and Reflect",
    code: `Function = Reflect = String = null; throw new Error("still told");`,
    outcome: /^still told$/,
  },
  {
    title: "replaces String.prototype.slice",
    code: `String.prototype.slice = () => { throw 1; }; throw "still told";`,
    outcome: /^still told$/,
  },
  {
    title: "freezes every prototype",
    code: "Object.freeze(Object.prototype); Object.freeze(Array.prototype); return 3;",
    outcome: 3,
  },
  {
    title: "deletes every global",
    code: "for (const key of Reflect.ownKeys(globalThis)) try { delete globalThis[key]; } catch {} return 4;",
    outcome: 4,
  },
  {
    title: "changes its arguments",
    code: `input = "x"; scores.rating = 99; toolCalls.length = 0; return 5;`,
    outcome: 5,
  },
  {
    title: "gets its arguments unchanged by an earlier evaluation",
    code: "return scores.rating + toolCalls.length;",
    outcome: 8,
  },
];

export const returnedTricks: HostileScorer[] = [
  { title: "returns a promise", code: "return Promise.resolve(1);", outcome: noScore },
  { title: "is asynchronous", code: "return (async () => 1)();", outcome: noScore },
  { title: "awaits", code: "return await 1;", outcome: /./ },
  { title: "returns a thenable", code: "return { then(resolve) { resolve(1); } };", outcome: noScore },
  { title: "returns a score that is a getter", code: "return { get score() { return 0.5; } };", outcome: 0.5 },
  {
    title: "throws in a getter",
    code: `return { get score() { throw new Error("from the getter"); } };`,
    outcome: /^from the getter$/,
  },
  { title: "loops in a getter", code: "return { get score() { for (;;); } };", outcome: timedOut },
  {
    title: "loops in the getter of the reasoning",
    code: "return { score: 1, get reasoning() { for (;;); } };",
    outcome: timedOut,
  },
  {
    title: "has a toJSON that says otherwise",
    code: "return { score: 0.5, toJSON: () => ({ score: 99 }) };",
    outcome: 0.5,
  },
  { title: "has a valueOf", code: "return { valueOf: () => 1 };", outcome: noScore },
  { title: "returns a boxed number", code: "return new Number(1);", outcome: noScore },
  { title: "returns a big integer", code: "return 1n;", outcome: noScore },
  { title: "returns a symbol", code: "return Symbol.iterator;", outcome: noScore },
  { title: "returns a function", code: "return () => 1;", outcome: noScore },
  { title: "returns the global object", code: "return globalThis;", outcome: noScore },
  {
    title: "returns a proxy that throws",
    code: `return new Proxy({}, { get() { throw "trapped"; } });`,
    outcome: /^trapped$/,
  },
  {
    title: "returns a revoked proxy",
    code: "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy;",
    outcome: /revoked/,
  },
  { title: "returns an object that holds itself", code: "const a = {}; a.score = a; return a;", outcome: noScore },
  {
    title: "returns something very deep",
    code: "let a = { score: 1 }; for (let i = 0; i < 1e5; i++) a = { a, score: 1 }; return a;",
    outcome: 1,
  },
  { title: "throws an error whose message loops", code: "throw { get message() { for (;;); } };", outcome: timedOut },
  {
    title: "throws an error whose message throws",
    code: `throw { get message() { throw 1; }, toString: () => "in other words" };`,
    outcome: /^in other words$/,
  },
  {
    title: "throws what cannot be told",
    code: "throw Object.create(null);",
    outcome: /^Scorer threw something without a message$/,
  },
  { title: "throws a symbol", code: `throw Symbol("s");`, outcome: /^Symbol\(s\)$/ },
  { title: "throws null", code: "throw null;", outcome: /^null$/ },
  { title: "throws nothing", code: "throw undefined;", outcome: /^undefined$/ },
];

export const endless: HostileScorer[] = [
  { title: "loops", code: "for (;;);", outcome: timedOut },
  {
    title: "loops and catches everything",
    code: "for (;;) { try { for (;;); } catch {} finally { for (;;); } }",
    outcome: timedOut,
  },
  { title: "loops in finally", code: "try { for (;;); } finally { return 1; }", outcome: timedOut },
  {
    title: "loops in a generator",
    code: "function* g() { for (;;) yield 1; } for (const _ of g()); return 1;",
    outcome: timedOut,
  },
  {
    title: "loops in an iterator",
    code: "const it = { [Symbol.iterator]() { return this; }, next: () => ({ done: false }) }; for (const _ of it); return 1;",
    outcome: timedOut,
  },
  {
    title: "loops in a callback of the engine",
    code: "return [3, 1, 2].sort(() => { for (;;); });",
    outcome: timedOut,
  },
  {
    title: "backtracks in a regular expression",
    code: `return /^(a+)+$/.test("a".repeat(40) + "b") ? 1 : 0;`,
    outcome: timedOut,
  },
  { title: "loops in what it evaluates", code: `eval("for (;;);"); return 1;`, outcome: timedOut },
  {
    title: "never gets a turn for its microtasks",
    code: "const again = () => Promise.resolve().then(again); again(); return 6;",
    outcome: 6,
  },
  {
    title: "waits with Atomics",
    code: "return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) === 'ok' ? 1 : 0;",
    outcome: /./,
  },
  // These defeat the interrupt: the engine works on a single operation for seconds without a check.
  { title: "joins an array of a billion holes", code: `return (new Array(1e9) + "").length;`, outcome: stopped },
  {
    title: "fills an array-like of nearly endless length",
    code: "return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);",
    outcome: timedOut,
  },
];

export const greedy: HostileScorer[] = [
  {
    title: "collects long strings",
    code: `const a = []; for (;;) a.push("x".repeat(1e6) + a.length);`,
    outcome: stopped,
  },
  { title: "doubles a string", code: `let s = "x"; for (;;) s += s;`, outcome: /string too long|^Scorer needed/ },
  {
    title: "repeats a string for ever",
    code: `return "x".repeat(2 ** 30).length;`,
    outcome: /invalid|too long|^Scorer needed/,
  },
  { title: "pads a string", code: `return "x".padEnd(2 ** 29, "abc").length;`, outcome: stopped },
  { title: "doubles an array", code: "let a = [1]; for (;;) a = a.concat(a);", outcome: stopped },
  { title: "collects typed arrays", code: "const a = []; for (;;) a.push(new Uint8Array(1e6));", outcome: outOfMemory },
  { title: "asks for a gigabyte at once", code: "return new ArrayBuffer(1e9).byteLength;", outcome: outOfMemory },
  { title: "fills a map", code: "const m = new Map(); for (let i = 0; ; i++) m.set(i, {});", outcome: stopped },
  {
    title: "spreads an endless iterator",
    code: "const it = { *[Symbol.iterator]() { for (;;) yield 1; } }; return [...it].length;",
    outcome: stopped,
  },
  {
    title: "catches being out of memory and goes on",
    code: "const a = []; for (;;) { try { a.push(new Uint8Array(1e6)); } catch {} }",
    outcome: timedOut,
  },
  { title: "makes a very big integer", code: "let b = 3n; for (;;) b *= b;", outcome: /./ },
  {
    title: "leaves a million promises",
    code: "let p = Promise.resolve(); for (;;) p = p.then(() => 1);",
    outcome: stopped,
  },
  {
    title: "replaces in a text until it is enormous",
    code: `return "a".repeat(1e6).replaceAll("a", "b".repeat(1e3)).length;`,
    outcome: stopped,
  },
  {
    title: "returns a reasoning of many megabytes",
    code: `return { score: 1, reasoning: "x".repeat(4e6) };`,
    outcome: 1,
  },
  {
    title: "throws a message of many megabytes",
    code: `throw new Error("y".repeat(4e6));`,
    outcome: /^y{2000}\.\.\. \[cut after 2000 characters\]$/,
  },
];

export const deep: HostileScorer[] = [
  { title: "recurses", code: "const f = () => f(); return f();", outcome: tooDeep },
  {
    title: "recurses through getters",
    code: "const o = { get a() { return this.a; } }; return o.a;",
    outcome: tooDeep,
  },
  {
    title: "recurses through a proxy chain",
    code: "let p = {}; for (let i = 0; i < 1e4; i++) p = new Proxy(p, {}); return p.x;",
    outcome: tooDeep,
  },
  { title: "parses deep JSON", code: `return JSON.parse("[".repeat(1e5)).length;`, outcome: tooDeep },
  {
    title: "serialises a deep array",
    code: "let a = []; for (let i = 0; i < 2e4; i++) a = [a]; return JSON.stringify(a).length;",
    outcome: tooDeep,
  },
  {
    title: "turns a deep array into a text",
    code: "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return String(a).length;",
    outcome: tooDeep,
  },
  {
    title: "flattens a deep array",
    code: "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a.flat(Infinity).length;",
    outcome: tooDeep,
  },
  { title: "evaluates deep brackets", code: `return eval("(".repeat(1e5));`, outcome: tooDeep },
  {
    title: "compiles a deep regular expression",
    code: `return new RegExp("(".repeat(1e5) + ")".repeat(1e5)).test("");`,
    outcome: /./,
  },
  {
    title: "binds a function very often",
    code: "let f = () => 1; for (let i = 0; i < 1e4; i++) f = f.bind(null); return f();",
    outcome: /^(stack overflow|Maximum call stack size exceeded|Scorer needed.*)$/,
  },
];
