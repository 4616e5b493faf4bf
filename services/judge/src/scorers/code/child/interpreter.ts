import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import wasmVariant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";

/** The little of WebAssembly that is used here; the compiler knows it only together with a browser. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Memory: new (pages: { initial: number; maximum: number }) => object;
};

type VariantOptions = NonNullable<Parameters<typeof newVariant>[1]>;

/** Its types describe the CommonJS build, where the variant is one member deeper than in the one that Node loads. */
const variant = wasmVariant as unknown as QuickJSSyncVariant;

const pageBytes = 65_536;
/** What the interpreter's build starts with. */
const initialPages = 256;

/**
 * Makes instances of QuickJS from one compiled module, each with a memory of its own. The limit is on that memory, where
 * nothing inside can get around it. QuickJS's own limit (`setMemoryLimit`) is of no use here: in this build it counts
 * next to nothing, and a scorer grew to 2 GB under a limit of 64 MB.
 */
export function loadInterpreters(memoryBytes: number): () => Promise<QuickJSWASMModule> {
  const path = fileURLToPath(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"));
  const wasmModule = new WebAssembly.Module(readFileSync(path));
  return () => {
    const wasmMemory = new WebAssembly.Memory({ initial: initialPages, maximum: memoryBytes / pageBytes });
    return newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule, wasmMemory } as VariantOptions));
  };
}
