/** Texts of one name that are prepared; a statement that is put together has few. */
const textsMax = 100;

/**
 * The names that statements are prepared under, one for each text: a connection refuses a name that it knows for another
 * text. The first text of a name has the name itself, each further one a number behind it. Null: of this name there are
 * too many texts to keep, and this one is sent unprepared.
 */
export type PreparedName = (name: string, text: string) => string | null;

export function createPreparedNames(): PreparedName {
  const known = new Map<string, Map<string, string>>();
  return (name, text) => {
    const texts = known.get(name) ?? new Map<string, string>();
    known.set(name, texts);
    const prepared = texts.get(text);
    if (prepared !== undefined) return prepared;
    if (texts.size >= textsMax) return null;
    const own = texts.size === 0 ? name : `${name}#${texts.size + 1}`;
    texts.set(text, own);
    return own;
  };
}
