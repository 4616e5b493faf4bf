import fc from "fast-check";

/** A request as it is sent, and the expected status if it is certain. */
export interface HttpRequest {
  method: string;
  /** With the query string. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer | null;
  /** The change to a valid request; `valid` without one. */
  mutation: string;
  expected: readonly number[] | null;
}

/** A request that prints as a curl command in fast-check's failure reports. The key is left out. */
export function printable(request: HttpRequest): HttpRequest {
  return Object.assign({}, request, { [fc.toStringMethod]: () => toCurl(request) });
}

/** A shell command that sends the same request; binary bodies go through base64. */
export function toCurl({ method, path, headers, body, mutation }: HttpRequest): string {
  const stated = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  const text = body?.toString("utf8") ?? "";
  const isText = body !== null && Buffer.from(text, "utf8").equals(body) && !text.includes("\u0000");
  const data = body === null ? [] : [isText ? `--data-binary ${quote(text)}` : "--data-binary @-"];
  const piped = body === null || isText ? "" : `echo ${body.toString("base64")} | base64 -d | `;
  const command = ["curl", "-i", "-X", method, quote(`$URL${path}`), ...stated, ...data].join(" ");
  return `${piped}${command}   # ${mutation}`;
}

function quote(text: string): string {
  return text.startsWith("$URL") ? `"$URL"${quote(text.slice(4))}` : `'${text.replaceAll("'", `'\\''`)}'`;
}
