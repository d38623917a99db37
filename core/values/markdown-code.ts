import { isElement } from "./html-elements.ts";
import { Line } from "./markdown-line.ts";

/** A part of a text, from one place to before another. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What a text holds that is code: blocks whole, and the paragraphs, headings and table cells in which spans of code may be. */
export interface CodePlaces {
  readonly blocks: readonly Span[];
  readonly inlines: readonly Span[];
}

/** What is open around a line: a quote, or an item of a list with the columns that what belongs to it is indented. */
type Container = { kind: "quote" } | { kind: "item"; indent: number; isEmpty: boolean };
/** What a line may go on with: a paragraph, code, or HTML up to a blank line or to the end of the text. */
type Leaf =
  | { kind: "none" | "heading" | "indented" | "html" | "hidden" }
  | { kind: "paragraph"; from: number }
  | { kind: "fence"; from: number; marker: string; length: number };

/** Without one of these a text has no code. */
const MAY_BE_CODE = /[`~]|^[ \t>+*\d.)-]*(?: {4}|\t)/m;
const LINE = /[^\r\n]*(?:\r\n?|\n|$)/y;
const FENCE = /^(`{3,})[^`]*$|^(~{3,})/;
const HEADING = /^#{1,6}(?:[ \t]|$)/;
const RULE = /^(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$/;
const UNDERLINE = /^(?:=+|-+)[ \t]*$/;
const LOOKS_OTHERWISE = /^(?:[`~#>*+_<=-]|\d{1,9}[.)])/;
const ITEM = /^(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)/;
const TABLE = /^[ \t>|:-]*-[ \t|:-]*$/;
const TABLE_BELOW = /[ \t>|:-]*-[ \t|:-]*(?=[\r\n]|$)/y;
const OPENS = /^<[a-z/!?]/i;
/** HTML that no blank line ends, and HTML that one does (CommonMark §4.6, 1 to 5, and 6). */
const OPENS_FOR_LONG = /^<(?:!--|\?|![a-z]|!\[CDATA\[|(?:script|style|pre|textarea)(?=[\s>]|$))/i;
const OPENS_BLOCK =
  /^<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|source|summary|table|tbody|td|template|tfoot|th|thead|title|tr|track|ul)(?=\s|\/?>|$)/i;
/** A whole tag alone in its line (CommonMark §4.6, 7, and §6.6). */
const WHOLE_TAG =
  /^<(?:([a-z][a-z0-9-]*)(?:\s+[a-z_:][\w:.-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?|\/([a-z][a-z0-9-]*)\s*)>\s*$/i;
/** Quotes and items in each other that are followed; markdown that is deeper has no code. */
const MOST_NESTED = 100;

/** The cells of a table's row: code does not reach over `|`, unless that is escaped. */
function cellsOf(text: string, { from, to }: Span): Span[] {
  const cells: Span[] = [];
  let start = from;
  for (let at = from; at < to; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "|") {
      cells.push({ from: start, to: at });
      start = at + 1;
    }
  }
  return [...cells, { from: start, to }];
}

/** How many cells a row has, without the marks at its ends. */
function columnsOf(row: string): number {
  const text = row.trim().replace(/^\|/, "");
  const cells = cellsOf(text, { from: 0, to: text.length });
  const last = cells.at(-1) as Span;
  return cells.length > 1 && last.from === last.to ? cells.length - 1 : cells.length;
}

/** Whether a line names the columns of a table, and the one below it is the row of dashes of as many. */
const areHead = (names: string, dashes: string): boolean =>
  names.includes("|") && TABLE.test(dashes) && columnsOf(names) === columnsOf(dashes);

/** Whether a line begins an item. An ordered list interrupts a paragraph only with 1, and no empty item does. */
function isItem(content: string, isInParagraph: boolean): boolean {
  const found = ITEM.exec(content);
  if (!found || !isInParagraph) return found !== null;
  return (found[1] === undefined || Number(found[1]) === 1) && content.slice(found[0].length).trim() !== "";
}

/** Reads the blocks of a text line by line, as CommonMark describes it in its appendix. */
class Blocks implements CodePlaces {
  readonly blocks: Span[] = [];
  readonly inlines: Span[] = [];
  readonly #text: string;
  readonly #containers: Container[] = [];
  #leaf: Leaf = { kind: "none" };
  /** Where the line before begins and what it says, and whether a table's rows have begun. */
  #before = 0;
  #saidBefore = "";
  #isTable = false;
  /** Whether the line is indented like code and marked like the quote before it: some renderers go on with the quote. */
  #maybeQuoted = false;

  constructor(text: string) {
    this.#text = text;
    for (let from = 0; from < text.length; ) {
      LINE.lastIndex = from;
      const [found = ""] = LINE.exec(text) ?? [];
      this.#read(new Line(found.replace(/[\r\n]+$/, "")), { from, to: from + found.length });
      this.#before = from;
      from += found.length;
    }
    this.#end(text.length);
  }

  /** Ends a paragraph, or a fence, before a place. */
  #end(to: number): void {
    const leaf = this.#leaf;
    if (leaf.kind === "paragraph" && leaf.from < to) this.inlines.push({ from: leaf.from, to });
    if (leaf.kind === "fence") this.blocks.push({ from: leaf.from, to });
    this.#isTable = false;
    this.#leaf = { kind: "none" };
  }

  #read(line: Line, place: Span): void {
    if (this.#leaf.kind === "hidden") return;
    const matched = this.#match(line);
    const isInside = matched === this.#containers.length;
    if (isInside && this.#goesOn(line, place)) return;
    if (this.#leaf.kind !== "paragraph") this.#close(matched, place.from);
    this.#begin(line, place, matched);
  }

  /** Ends what is open within the first so many containers, and those behind them. */
  #close(matched: number, at: number): void {
    if (matched < this.#containers.length || this.#leaf.kind !== "paragraph") this.#end(at);
    this.#containers.length = matched;
  }

  /** How many of the open containers the line belongs to. */
  #match(line: Line): number {
    this.#maybeQuoted = false;
    for (const [index, container] of this.#containers.entries()) {
      if (container.kind === "quote") {
        const isMarked = line.content.startsWith(">");
        this.#maybeQuoted = isMarked && line.indent > 3;
        if (!isMarked || line.indent > 3) return index;
        this.#enterQuote(line);
      } else if (line.isBlank) {
        if (container.isEmpty) return index;
      } else if (line.indent < container.indent) return index;
      else {
        line.skipBlanks(container.indent);
        container.isEmpty = false;
      }
    }
    return this.#containers.length;
  }

  #enterQuote(line: Line): void {
    line.skipBlanks(3);
    line.skip(1);
    line.skipBlanks(1);
  }

  /** Takes a line that goes on with an open fence, indented block or HTML. */
  #goesOn(line: Line, place: Span): boolean {
    const leaf = this.#leaf;
    if (leaf.kind === "fence") {
      const closing = line.indent > 3 ? "" : line.content.trimEnd();
      if (closing.length >= leaf.length && closing === leaf.marker.repeat(closing.length)) this.#end(place.to);
      return true;
    }
    if (leaf.kind === "indented") {
      if (line.isBlank) return true;
      if (line.indent >= 4) this.blocks.push(place);
      return line.indent >= 4;
    }
    if (leaf.kind === "html") {
      if (line.isBlank) this.#leaf = { kind: "none" };
      return true;
    }
    return false;
  }

  /** Begins what begins in a line, behind the containers it belongs to. */
  #begin(line: Line, place: Span, matched: number): void {
    let inside = matched;
    const leave = () => {
      this.#close(inside, place.from);
      this.#end(place.from);
    };
    for (let container = this.#containerIn(line, place, inside); container; container = this.#containerIn(line, place, inside)) {
      leave();
      inside = this.#containers.push(container);
    }
    const leaf = this.#leafIn(line, place, inside);
    if (leaf === "text") this.#addText(place, line.content, inside);
    else if (leaf === "underline") this.#end(place.from);
    else {
      leave();
      this.#leaf = leaf;
      if (leaf.kind === "indented") this.blocks.push(place);
      if (leaf.kind === "heading") this.inlines.push(place);
    }
  }

  /** The quote or the item that begins next, which is then read. */
  #containerIn(line: Line, place: Span, inside: number): Container | null {
    const { indent, content } = line;
    if (indent > 3 || this.#containers.length > MOST_NESTED || this.#isDisputed(line, place)) return null;
    if (content.startsWith(">")) {
      this.#enterQuote(line);
      return { kind: "quote" };
    }
    const goesOn = this.#leaf.kind === "paragraph" && inside === this.#containers.length;
    if (RULE.test(content) || (goesOn && UNDERLINE.test(content)) || !isItem(content, goesOn)) return null;
    const [marker = ""] = ITEM.exec(content) ?? [];
    line.skipBlanks(3);
    line.skip(marker.length);
    const [isEmpty, after] = [line.isBlank, line.indent];
    const blanks = isEmpty || after > 4 ? 1 : after;
    line.skipBlanks(blanks);
    return { kind: "item", indent: indent + marker.length + blanks, isEmpty };
  }

  /** What a line is within its containers. */
  #leafIn(line: Line, place: Span, inside: number): Leaf | "text" | "underline" {
    const { indent, content } = line;
    const isInParagraph = this.#leaf.kind === "paragraph";
    if (content === "") return { kind: "none" };
    if (indent > 3 && isInParagraph) return "text";
    if (this.#containers.length > MOST_NESTED || this.#isDisputed(line, place)) return { kind: "hidden" };
    if (indent > 3) return { kind: "indented" };
    const [, backticks, tildes] = FENCE.exec(content) ?? [];
    const fence = backticks ?? tildes;
    if (fence !== undefined) return { kind: "fence", from: place.from, marker: fence[0] as string, length: fence.length };
    if (HEADING.test(content)) return { kind: "heading" };
    const html = this.#htmlIn(content, isInParagraph);
    if (html) return { kind: html };
    // A block of HTML ends a paragraph, and with it what was no span yet.
    if (isInParagraph && (OPENS_FOR_LONG.test(content) || OPENS_BLOCK.test(content))) this.#end(place.from);
    if (isInParagraph && inside === this.#containers.length && UNDERLINE.test(content) && !this.#isTable) return "underline";
    return RULE.test(content) ? { kind: "none" } : "text";
  }

  /**
   * Whether renderers do not agree on a line: it names the columns of a table by what is below it, and begins like something else; or a tab
   * stands behind the mark of a quote or an item, where some count columns otherwise; or it may be code or go on with a quote.
   */
  #isDisputed(line: Line, { to }: Span): boolean {
    const { indent, content } = line;
    if (this.#maybeQuoted || (indent > 3 && this.#containers.length > 0 && line.hasTab)) return true;
    if (!content.includes("|") || (indent <= 3 && !LOOKS_OTHERWISE.test(content))) return false;
    TABLE_BELOW.lastIndex = to;
    const below = TABLE_BELOW.exec(this.#text)?.[0] ?? "";
    return below.includes("|") && !(content.startsWith(">") && below.trimStart().startsWith(">"));
  }

  /** What kind of HTML begins that is not taken out: what is not closed in its line, or a whole tag of no known element. */
  #htmlIn(content: string, isInParagraph: boolean): "html" | "hidden" | null {
    if (!OPENS.test(content)) return null;
    if (!content.includes(">")) return OPENS_FOR_LONG.test(content) ? "hidden" : OPENS_BLOCK.test(content) ? "html" : null;
    const [, opened, closed] = WHOLE_TAG.exec(content) ?? [];
    const name = opened ?? closed;
    return !isInParagraph && name !== undefined && !isElement(name) ? "html" : null;
  }

  /** Adds a line to the paragraph, also one that only goes on with it outside of its quote or item, or begins one. */
  #addText(place: Span, content: string, inside: number): void {
    const leaf = this.#leaf;
    if (leaf.kind !== "paragraph") {
      this.#close(inside, place.from);
      this.#leaf = { kind: "paragraph", from: place.from };
      this.#saidBefore = content;
      return;
    }
    const isHead = !this.#isTable && areHead(this.#saidBefore, content);
    this.#saidBefore = content;
    if (isHead) {
      // The line before named the columns; the paragraph ends before it.
      if (leaf.from < this.#before) this.inlines.push({ from: leaf.from, to: this.#before });
      this.inlines.push(...cellsOf(this.#text, { from: this.#before, to: place.from }));
      this.#isTable = true;
    } else if (this.#isTable) this.inlines.push(...cellsOf(this.#text, place));
    if (this.#isTable) this.#leaf = { kind: "paragraph", from: place.to };
  }
}

/**
 * Finds the fenced and indented blocks of a markdown text, and the parts in which spans of code may be (CommonMark §4.4, §4.5, §6.1; tables as
 * GitHub has them). In the order of the text; no two overlap. In time that grows with the text, whatever it holds: callers choose it.
 *
 * Where HTML begins that stays in the text nothing is code, because a renderer that lets HTML through would take it for none.
 */
export const codePlaces = (text: string): CodePlaces => (MAY_BE_CODE.test(text) ? new Blocks(text) : { blocks: [], inlines: [] });
