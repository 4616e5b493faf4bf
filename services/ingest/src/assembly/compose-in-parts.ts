import type { ComposableSpan } from "./composable.ts";
import { type ComposeLoader, type Composing, composeSpans } from "./compose.ts";

/**
 * The same as `composeSpans`, in parts: each ends with the spans whose log records came in one slice, which is released before
 * the next is read.
 */
export async function* composeInParts<Span extends ComposableSpan>(
  spans: readonly Span[],
  loader: ComposeLoader,
  { metadata }: Pick<Composing, "metadata">,
): AsyncGenerator<Span[], void, undefined> {
  const ids = spans.filter(({ derived }) => derived?.hasFragments === true).map(({ id }) => id);
  let left = spans;
  for await (const fragments of ids.length === 0 ? [] : loader.fragments(ids)) {
    const count = left.findLastIndex(({ id }) => fragments.has(id)) + 1;
    if (count > 0) yield composeSpans(left.slice(0, count), loader, { metadata, fragments });
    left = left.slice(count);
  }
  if (left.length > 0) yield composeSpans(left, loader, { metadata, fragments: new Map() });
}
