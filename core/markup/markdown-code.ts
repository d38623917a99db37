import { isElement } from "./html-elements.ts";
import { Line } from "./markdown-line.ts";

/** A part of a text; `to` is exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The code of a text: whole blocks, and the paragraphs, headings and table cells that may contain code spans. */
export interface CodePlaces {
  readonly blocks: readonly Span[];
  readonly inlines: readonly Span[];
}

/** An open container around a line: a quote, or a list item with the indentation of its content. */
type Container = { kind: "quote" } | { kind: "item"; indent: number; isEmpty: boolean };
/** An open block that the next line may continue: a paragraph, code, or HTML until a blank line or the end of the text. */
type Leaf =
  | { kind: "none" | "heading" | "indented" | "html" | "hidden" }
  | { kind: "paragraph"; from: number }
  | { kind: "fence"; from: number; marker: string; length: number };

/** A text without any of these contains no code. */
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
/** HTML that a blank line does not end, and HTML that one does (CommonMark §4.6, 1 to 5, and 6). */
const OPENS_FOR_LONG = /^<(?:!--|\?|![a-z]|!\[CDATA\[|(?:script|style|pre|textarea)(?=[\s>]|$))/i;
const OPENS_BLOCK =
  /^<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|source|summary|table|tbody|td|template|tfoot|th|thead|title|tr|track|ul)(?=\s|\/?>|$)/i;
/** A complete tag alone on its line (CommonMark §4.6, 7, and §6.6). */
const WHOLE_TAG =
  /^<(?:([a-z][a-z0-9-]*)(?:\s+[a-z_:][\w:.-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?|\/([a-z][a-z0-9-]*)\s*)>\s*$/i;
/** Deepest nesting of quotes and items; deeper markdown counts as having no code. */
const MOST_NESTED = 100;

/** The cells of a table row: code does not extend across `|`, unless it is escaped. */
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

/** Number of cells in a row, without the marks at its ends. */
function columnsOf(row: string): number {
  const text = row.trim().replace(/^\|/, "");
  const cells = cellsOf(text, { from: 0, to: text.length });
  const last = cells.at(-1) as Span;
  return cells.length > 1 && last.from === last.to ? cells.length - 1 : cells.length;
}

/** Whether a line is a table's header: the line below has the same number of dash cells. */
const areHead = (names: string, dashes: string): boolean =>
  names.includes("|") && TABLE.test(dashes) && columnsOf(names) === columnsOf(dashes);

/** Whether a line starts a list item. Only an ordered list that starts with 1 interrupts a paragraph, and no empty item does. */
function isItem(content: string, isInParagraph: boolean): boolean {
  const found = ITEM.exec(content);
  if (!found || !isInParagraph) return found !== null;
  return (found[1] === undefined || Number(found[1]) === 1) && content.slice(found[0].length).trim() !== "";
}

/** Parses the blocks of a text line by line, as in CommonMark's appendix. */
class Blocks implements CodePlaces {
  readonly blocks: Span[] = [];
  readonly inlines: Span[] = [];
  readonly #text: string;
  readonly #containers: Container[] = [];
  #leaf: Leaf = { kind: "none" };
  /** Start and content of the previous line, and whether a table's rows have started. */
  #before = 0;
  #saidBefore = "";
  #isTable = false;
  /** Whether the line is indented like code but marked like the quote before it: some renderers continue the quote. */
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

  /** Ends a paragraph or a fence before a position. */
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

  /** Closes the containers after the first `matched`, and the block within them. */
  #close(matched: number, at: number): void {
    if (matched < this.#containers.length || this.#leaf.kind !== "paragraph") this.#end(at);
    this.#containers.length = matched;
  }

  /** Number of open containers that the line belongs to. */
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

  /** Handles a line that continues an open fence, indented block or HTML; returns whether it does. */
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

  /** Opens what starts on a line, within its matched containers. */
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

  /** The next quote or item that starts on the line; consumes its marker. */
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

  /** The kind of a line within its containers. */
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
    // An HTML block ends a paragraph, and with it every unclosed code span.
    if (isInParagraph && (OPENS_FOR_LONG.test(content) || OPENS_BLOCK.test(content))) this.#end(place.from);
    if (isInParagraph && inside === this.#containers.length && UNDERLINE.test(content) && !this.#isTable) return "underline";
    return RULE.test(content) ? { kind: "none" } : "text";
  }

  /**
   * Whether renderers disagree on a line. Either it may be a table header but begins like something else; or a tab follows the marker of a
   * quote or item, where some count columns differently; or it may be code or continue a quote.
   */
  #isDisputed(line: Line, { to }: Span): boolean {
    const { indent, content } = line;
    if (this.#maybeQuoted || (indent > 3 && this.#containers.length > 0 && line.hasTab)) return true;
    if (!content.includes("|") || (indent <= 3 && !LOOKS_OTHERWISE.test(content))) return false;
    TABLE_BELOW.lastIndex = to;
    const below = TABLE_BELOW.exec(this.#text)?.[0] ?? "";
    return below.includes("|") && !(content.startsWith(">") && below.trimStart().startsWith(">"));
  }

  /** The kind of HTML that starts here and stays in the text: a tag unclosed on its line, or a complete tag of an unknown element. */
  #htmlIn(content: string, isInParagraph: boolean): "html" | "hidden" | null {
    if (!OPENS.test(content)) return null;
    if (!content.includes(">")) return OPENS_FOR_LONG.test(content) ? "hidden" : OPENS_BLOCK.test(content) ? "html" : null;
    const [, opened, closed] = WHOLE_TAG.exec(content) ?? [];
    const name = opened ?? closed;
    return !isInParagraph && name !== undefined && !isElement(name) ? "html" : null;
  }

  /** Adds a line to the paragraph, even if it only continues it from outside its quote or item; or starts a paragraph. */
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
      // The previous line is the header, so the paragraph ends before it.
      if (leaf.from < this.#before) this.inlines.push({ from: leaf.from, to: this.#before });
      this.inlines.push(...cellsOf(this.#text, { from: this.#before, to: place.from }));
      this.#isTable = true;
    } else if (this.#isTable) this.inlines.push(...cellsOf(this.#text, place));
    if (this.#isTable) this.#leaf = { kind: "paragraph", from: place.to };
  }
}

/**
 * Finds the fenced and indented blocks of a markdown text, and the parts that may contain code spans (CommonMark §4.4, §4.5, §6.1; tables
 * as on GitHub). They are in text order and do not overlap. Time is linear in the text for any input, because callers choose it.
 *
 * Where HTML starts that stays in the text, nothing counts as code: a renderer that allows HTML would not treat it as code.
 */
export const codePlaces = (text: string): CodePlaces => (MAY_BE_CODE.test(text) ? new Blocks(text) : { blocks: [], inlines: [] });
