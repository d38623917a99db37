/**
 * Markdown as plain text, for plain-text formats: removes tags and marks, and puts link addresses after their text. Null when nothing is
 * left. Marks match only over short distances, so that the time is linear in the text's length for any input.
 */
export function plainText(markdown: string | null): string | null {
  const text = (markdown ?? "")
    .replace(/\r\n?/g, "\n")
    .replace(/<[/!]?[a-z][^>\n]{0,200}>/gi, "")
    .replace(/^ {0,3}#{1,6} +/gm, "")
    .replace(/^ {0,3}(?:[-*_] *){3,}$/gm, "")
    .replace(/^ {0,3}> ?/gm, "")
    .replace(/!?\[([^\]\n]{0,200})\]\(([^)\s]{0,500})\)/g, "$1 ($2)")
    .replace(/(\*\*|__|~~|`)(?=\S)([^\n]{0,200}?\S)\1/g, "$2")
    .replace(/(?<![\p{L}\p{N}*])\*(?=\S)([^*\n]{0,200}?\S)\*(?![\p{L}\p{N}*])/gu, "$1")
    .replace(/\\([\\`*_{}[\]()#+\-.!>~|])/g, "$1")
    .split("\n")
    .map((row) => row.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return text === "" ? null : text;
}
