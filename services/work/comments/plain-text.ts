/** A line that draws something and says nothing: the fence of code, a rule, the line under a heading, the rule of a table. */
const DRAWN = /^(?:(?:```|~~~).*|(?:[-_*=]\s*){3,}|\|[\s:|-]*)$/;
/** What makes a line a quotation, a heading or an item of a list, ticked or not. */
const BLOCK = /^(?:(?:>|#{1,6}\s|[-*+]\s|\d{1,9}[.)]\s|\[[ x]\]\s)\s*)+/i;
const AUTOLINK = /<([a-z][a-z0-9+.-]*:[^\s<>]*|[^\s<>@]+@[^\s<>]+)>/iy;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const BLANK = /\s/;
const WORD = /[\p{L}\p{N}]/u;
/** Longer ones are no links: looking for the end of each must stay cheap in a text of brackets. */
const LONGEST_DESTINATION = 2048;

/** A line without what makes it a heading, quotation, item, table row or rule. */
function withoutBlocks(line: string): string {
  const trimmed = line.trim();
  if (DRAWN.test(trimmed)) return "";
  return trimmed.startsWith("|") ? trimmed.replaceAll("|", " ") : trimmed.replace(BLOCK, "");
}

/** The index behind the link destination `(…)` that begins at `at`, or `at` itself. Parentheses inside it nest. */
function behindDestination(text: string, at: number): number {
  let depth = 0;
  if (text[at] !== "(") return at;
  for (let end = at; end < text.length && end < at + LONGEST_DESTINATION; end++) {
    if (text[end] === "(") depth++;
    else if (text[end] === ")" && --depth === 0) return end + 1;
  }
  return at;
}

/** Runs of emphasis characters whose pair is still to come, by character: where in the pieces they stand. */
type Openers = Map<string, number[]>;

/** Takes the characters of a run that pair with earlier ones off both; what finds no pair stays as it is. */
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

/** Adds a run of `*`, `_` or `~` to the pieces: a closing one ends what was opened, an opening one waits for its pair (CommonMark §6.2). */
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

/** One paragraph's text without links, images, emphasis and code marks; a backslash keeps the punctuation behind it. */
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
 * Markdown as plain text on one line: without the marks of headings, lists, quotations, tables, code, emphasis, links and images, of which
 * the words stay; white space collapsed (work chapter §3.8, "Excerpts").
 */
export function plainText(markdown: string): string {
  const lines = markdown.split(/\r\n?|\n/).map(withoutBlocks);
  return withoutInline(lines.join("\n")).replace(/\s+/g, " ").trim();
}
