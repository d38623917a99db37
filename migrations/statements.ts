/** A part of SQL that a semicolon does not end: strings, quoted names, comments and dollar-quoted bodies; or the semicolon. */
const PARTS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|(\$\w*\$)[\s\S]*?\1|;/g;

/**
 * The statements of an SQL text, in order and without their semicolons.
 * A body of the SQL standard (`begin atomic`) is not recognised; the steps quote bodies with dollars.
 */
export function statementsOf(text: string): string[] {
  const found: string[] = [];
  let from = 0;
  for (const { 0: part, index } of text.matchAll(PARTS)) {
    if (part !== ";") continue;
    found.push(text.slice(from, index));
    from = index + 1;
  }
  return [...found, text.slice(from)].map((statement) => statement.trim()).filter((statement) => statement !== "");
}
