/** A line of pure layout, without text: a code fence, a horizontal rule, a heading underline, a table rule. */
const DRAWN = /^(?:(?:```|~~~).*|(?:[-_*=]\s*){3,}|\|[\s:|-]*)$/;
/** The prefix of a quotation, a heading or a list item, ticked or not. */
const BLOCK = /^(?:(?:>|#{1,6}\s|[-*+]\s|\d{1,9}[.)]\s|\[[ x]\]\s)\s*)+/i;
const AUTOLINK = /<([a-z][a-z0-9+.-]*:[^\s<>]*|[^\s<>@]+@[^\s<>]+)>/iy;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const BLANK = /\s/;
const WORD = /[\p{L}\p{N}]/u;
/** Longer destinations do not count as links, so that scanning a text full of brackets stays cheap. */
const LONGEST_DESTINATION = 2048;

/** A line without the marks of a heading, quotation, item, table row or rule. */
function withoutBlocks(line: string): string {
  const trimmed = line.trim();
  if (DRAWN.test(trimmed)) return "";
  return trimmed.startsWith("|") ? trimmed.replaceAll("|", " ") : trimmed.replace(BLOCK, "");
}

/** The index after the link destination `(…)` that starts at `at`, or `at` itself. Parentheses inside it nest. */
function behindDestination(text: string, at: number): number {
  let depth = 0;
  if (text[at] !== "(") return at;
  for (let end = at; end < text.length && end < at + LONGEST_DESTINATION; end++) {
    if (text[end] === "(") depth++;
    else if (text[end] === ")" && --depth === 0) return end + 1;
  }
  return at;
}

/** Unmatched emphasis runs by character, as indexes into the pieces. */
type Openers = Map<string, number[]>;

/** Removes the characters of a run that match earlier ones, from both runs. @returns the unmatched rest */
function closeRun(pieces: string[], openers: number[], run: string): string {
  let left = run;
  while (left !== "" && openers.length > 0) {
    const opener = openers.at(-1) as number;
    const pairs = Math.min(left.length, pieces[opener]?.length ?? 0);
    pieces[opener] = pieces[opener]?.slice(pairs) ?? "";
    left = left.slice(pairs);
    if (pieces[opener] === "") openers.pop();
  }
  return left;
}

/**
 * Adds a run of `*`, `_` or `~` to the pieces: a closing run matches earlier openers, an opening run waits for its match (CommonMark §6.2).
 */
function addRun(pieces: string[], openers: Openers, run: string, before: string, after: string): void {
  const mark = run[0] as string;
  const waiting = openers.get(mark) ?? [];
  openers.set(mark, waiting);
  const insideWord = mark === "_" && WORD.test(before) && WORD.test(after);
  const closes = !insideWord && !BLANK.test(before);
  const opens = !insideWord && !BLANK.test(after);
  const left = closes ? closeRun(pieces, waiting, run) : run;
  if (opens && left !== "") waiting.push(pieces.length);
  pieces.push(left);
}

/** The text of a paragraph without links, images, emphasis and code marks; a backslash keeps the punctuation after it. */
function withoutInline(text: string): string {
  const pieces: string[] = [];
  const brackets: number[] = [];
  const openers: Openers = new Map();
  let inCode = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    AUTOLINK.lastIndex = at;
    if (character === "`" && (inCode || text.indexOf("`", at + 1) > 0)) {
      while (text[at + 1] === "`") at++;
      inCode = !inCode;
    } else if (inCode) pieces.push(character);
    else if (character === "\\" && PUNCTUATION.test(text[at + 1] ?? "")) pieces.push(text[++at] as string);
    else if (character === "*" || character === "_" || character === "~") {
      let end = at + 1;
      while (text[end] === character) end++;
      addRun(pieces, openers, text.slice(at, end), text[at - 1] ?? " ", text[end] ?? " ");
      at = end - 1;
    } else if (character === "[") {
      brackets.push(pieces.length);
      pieces.push(character);
    } else if (character === "]") {
      const open = brackets.pop();
      const end = open === undefined ? at + 1 : behindDestination(text, at + 1);
      if (open === undefined || end === at + 1) pieces.push(character);
      else {
        pieces[open] = "";
        if (pieces[open - 1] === "!") pieces[open - 1] = "";
        at = end - 1;
      }
    } else {
      const [link, address] = character === "<" ? (AUTOLINK.exec(text) ?? []) : [];
      pieces.push(address ?? character);
      at += (link?.length ?? 1) - 1;
    }
  }
  return pieces.join("");
}

/**
 * Converts markdown to plain text on one line: drops the marks of headings, lists, quotations, tables, code, emphasis, links and images,
 * keeps their words and collapses white space (work chapter §3.8, "Excerpts").
 */
export function plainText(markdown: string): string {
  const lines = markdown.split(/\r\n?|\n/).map(withoutBlocks);
  return withoutInline(lines.join("\n")).replace(/\s+/g, " ").trim();
}
