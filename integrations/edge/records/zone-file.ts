/** Record data by the provider's field names. */
export type RecordData = Readonly<Record<string, string | number>>;

/** A field of record data in its zone-file form (RFC 1035 §5.1). */
export interface Token {
  /** The value, with escapes resolved. */
  value: string;
  /** Its start in the text. */
  at: number;
}

/** A quoted string, or a run of other characters; an escape is a backslash before a character or three digits. */
const TOKEN = /"((?:[^"\\]|\\.)*)"|((?:[^\s"\\;()]|\\.)+)/y;
const BLANK = /\s*/y;

const resolved = (text: string): string =>
  text.replaceAll(/\\(\d{3}|.)/g, (_, escaped: string) =>
    escaped.length === 3 ? String.fromCharCode(Number(escaped)) : escaped,
  );

/**
 * Splits record data in zone-file form into fields, separated by white space and quoted if they contain any.
 * @returns null for an open quote, a comment, or parentheses, which only a whole zone file has
 */
export function tokensOf(content: string): Token[] | null {
  const tokens: Token[] = [];
  for (let at = 0; ; ) {
    BLANK.lastIndex = at;
    at += BLANK.exec(content)?.[0].length ?? 0;
    if (at === content.length) return tokens;
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(content);
    // White space must follow a field, and no field contains a quote.
    if (!found || !/^(?:\s|$)/.test(content.slice(TOKEN.lastIndex, TOKEN.lastIndex + 1))) return null;
    tokens.push({ value: resolved(found[1] ?? found[2] ?? ""), at });
    at = TOKEN.lastIndex;
  }
}

/** Whether a text's quotes are closed. */
export const isClosed = (text: string): boolean => !text.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").includes('"');
