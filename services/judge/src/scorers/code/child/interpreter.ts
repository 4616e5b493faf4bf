import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import wasmVariant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";

/** The part of WebAssembly used here; TypeScript declares it only in its browser types. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Memory: new (pages: { initial: number; maximum: number }) => object;
};

type VariantOptions = NonNullable<Parameters<typeof newVariant>[1]>;

/**
 * Its types describe the CommonJS build, in which the variant is nested one level deeper than in the one that Node loads.
 */
const variant = wasmVariant as unknown as QuickJSSyncVariant;

const pageBytes = 65_536;
/** The initial memory of the interpreter's build. */
const initialPages = 256;

/**
 * Creates instances of QuickJS from one compiled module, each with separate memory. The limit applies to that memory, where
 * code inside cannot bypass it. QuickJS's own limit (`setMemoryLimit`) does not work here: in this build it counts almost
 * nothing, and a scorer grew to 2 GB under a limit of 64 MB.
 */
export function loadInterpreters(memoryBytes: number): () => Promise<QuickJSWASMModule> {
  const path = fileURLToPath(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"));
  const wasmModule = new WebAssembly.Module(readFileSync(path));
  return () => {
    const wasmMemory = new WebAssembly.Memory({ initial: initialPages, maximum: memoryBytes / pageBytes });
    return newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule, wasmMemory } as VariantOptions));
  };
}
