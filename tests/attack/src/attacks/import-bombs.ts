import type { Attack } from "../attack.ts";
import { untilOver } from "../attacker/at-once.ts";
import { join, type Packed, pack, packNumbered, packRepeated } from "../payloads/gzip-pieces.ts";

const megabyte = 1024 * 1024;

/** Imports: small files that inflate to a very large number of lines, or to one endless line. */
export const importBombs: Attack = {
  name: "import-bombs",
  does: "Imports of traces and datasets that inflate to 200 MB of short lines, one endless line or CSV of quotes and commas; two at once.",
  setting: "projects",
  async prepare({ random, scaled, openTenant, clientOf, over }) {
    const client = clientOf(await openTenant("import bombs"));
    const many = scaled(200 * megabyte);
    const few = scaled(10 * megabyte - megabyte / 16);
    const traces = (packed: Packed) => ["/import/traces", "application/x-ndjson", packed.zipped] as const;
    const cases = (type: string, packed: Packed) =>
      [`/custom-agent-evaluations/datasets/import?name=bomb`, type, packed.zipped] as const;
    const files = [
      traces(packRepeated(many, "{}\n")),
      traces(packRepeated(many, "\n")),
      traces(packNumbered(many, (number) => `{"name":"n","spanId":"${number.toString(16).padStart(16, "0")}"}\n`)),
      traces(join(pack('{"name":"n","input":"'), packRepeated(many, "a"), pack('"}\n'))),
      traces(packRepeated(many, '{"resourceSpans":[{"scopeSpans":[{"spans":[{},{},{}]}]}]}\n')),
      traces(packRepeated(many, "[")),
      cases("text/csv", join(pack("query,expectedResults\n"), packRepeated(few, "a,b\n"))),
      cases("text/csv", packRepeated(few, '"')),
      cases("text/csv", packRepeated(few, ",")),
      cases("text/csv", join(pack("query\n"), packRepeated(few, "\n"))),
      cases("application/x-ndjson", packRepeated(few, '{"query":"a"}\n')),
      cases("application/json", join(pack("["), packRepeated(few, '{"query":"a"},'), pack("{}]"))),
      cases("application/json", join(pack("["), packRepeated(few, "{},"), pack("{}]"))),
    ];
    return () =>
      untilOver({ atOnce: 2, over }, async () => {
        const [route, type, body] = random.pick(files);
        await client.post(route, body, { "content-type": type, "content-encoding": "gzip" });
      });
  },
};
