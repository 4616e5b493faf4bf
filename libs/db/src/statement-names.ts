/** The number of prepared texts per name; a dynamically built statement has few. */
const textsMax = 100;

/**
 * The names of prepared statements, one for each text: a connection refuses a name that it knows for another text. The
 * first text of a name gets the plain name, each further one a numbered name. Null: this name has too many texts, and
 * this one is sent unprepared.
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
