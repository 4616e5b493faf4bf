/** An escape of NUL or of a surrogate, after an even number of backslashes. */
const unreadable = String.raw`(?<!\\)((?:\\\\)*)\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})`;

/**
 * SQL for a `json` column as `->` and `->>` can read it. They fail on the whole document if any of its texts holds a NUL
 * or a lone surrogate, which clients may send anywhere: in such a document both become U+FFFD.
 */
export const readableJson = (column: string): string => String.raw`(
  case
    when strpos(${column}::text, '\u') = 0 or pg_input_is_valid(${column}::text, 'jsonb') then ${column}
    else regexp_replace(${column}::text, '${unreadable}', '\1\\ufffd', 'g')::json
  end)`;
