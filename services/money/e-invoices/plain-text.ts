/**
 * Markdown as plain text, for formats that know no other: without tags and marks, links with their address behind the text. Null when
 * nothing is left. Marks count over short distances alone, so that the time follows the length of the text whatever stands in it.
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
