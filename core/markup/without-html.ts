import { isElement } from "./html-elements.ts";
import { codePlaces, type Span } from "./markdown-code.ts";

const STARTS_TAG = /[a-z/!?]/i;
const AUTOLINK = /^(?:[a-z][a-z0-9+.-]{1,31}:[^\s<>]*|[a-z0-9][a-z0-9.!#$%&'*+=?^_`{|}~-]*@[a-z0-9.-]+)$/i;
const UP_TO_END = /([^\s<>]*)>/y;
const NAME = /^\/?([^\s/]*)/;
const RUNS_SCRIPT = /[\s/"']on[a-z]+\s*=/i;
const HAS_VALUE = /=\s*["']/;
const WITH_CONTENTS = /^(script|style)(?=[\s/]|$)/i;
const CLOSING = { script: /<\/script(?=[\s/>])/gi, style: /<\/style(?=[\s/>])/gi };
/** Characters of an element's name that are examined. */
const LONGEST_NAME = 32;
/** Maximum passes over a text before it counts as hostile: each removal may join the rest into something new. */
const MOST_ROUNDS = 8;

/** The position after the contents of a script or style; an unclosed one extends to the end. */
function afterContents(markdown: string, element: string, from: number): number {
  const closing = CLOSING[element.toLowerCase() as keyof typeof CLOSING];
  closing.lastIndex = from;
  const end = closing.test(markdown) ? markdown.indexOf(">", closing.lastIndex) : -1;
  return end < 0 ? markdown.length : end + 1;
}

/** The code spans of one paragraph: a run of backticks is closed by another of the same length (CommonMark §6.1). */
class CodeSpans {
  readonly #text: string;
  readonly #place: Span;
  /** Positions of the runs by length, in reverse order. */
  readonly #runs = new Map<number, number[]>();

  constructor(text: string, place: Span) {
    this.#text = text;
    this.#place = place;
    const found = [...text.slice(place.from, place.to).matchAll(/`+/g)].reverse();
    for (const { index, 0: run } of found) {
      const places = this.#runs.get(run.length);
      if (places) places.push(place.from + index);
      else this.#runs.set(run.length, [place.from + index]);
    }
  }

  /** The end of the span that starts at a position; undefined without one. */
  endOf(from: number): number | undefined {
    let opened = from;
    while (this.#text[opened] === "`" && opened < this.#place.to) opened += 1;
    const places = this.#runs.get(opened - from) ?? [];
    while ((places.at(-1) ?? Number.POSITIVE_INFINITY) < opened) places.pop();
    const closing = places.at(-1);
    return closing === undefined ? undefined : closing + opened - from;
  }
}

/** Walks over the code of a text, in one pass. */
class Code {
  readonly #text: string;
  readonly #blocks: readonly Span[];
  readonly #inlines: readonly Span[];
  #block = 0;
  #inline = 0;
  #spans: CodeSpans | undefined;

  constructor(text: string) {
    this.#text = text;
    const { blocks, inlines } = codePlaces(text);
    this.#blocks = blocks;
    this.#inlines = inlines;
  }

  /** The end of the code block around a position. */
  blockAt(at: number): number | undefined {
    while (this.#block < this.#blocks.length && (this.#blocks[this.#block] as Span).to <= at) this.#block += 1;
    const block = this.#blocks[this.#block];
    return block && block.from <= at ? block.to : undefined;
  }

  /** The end of the code span that starts with the backtick at a position. */
  spanAt(at: number): number | undefined {
    while (this.#inline < this.#inlines.length && (this.#inlines[this.#inline] as Span).to <= at) {
      this.#inline += 1;
      this.#spans = undefined;
    }
    const place = this.#inlines[this.#inline];
    if (!place || place.from > at) return undefined;
    this.#spans ??= new CodeSpans(this.#text, place);
    return this.#spans.endOf(at);
  }
}

/** Plain text contains no code. */
const NO_CODE = { blockAt: () => undefined, spanAt: () => undefined };

/** The rules for reading a text: what counts as code, and when a `<` of no known element is text. */
interface Reading {
  readonly code: Pick<Code, "blockAt" | "spanAt">;
  readonly isText: (tag: string) => boolean;
  /** Whether a `<` after the start of an unknown element can start its own tag; otherwise it is part of that tag. */
  readonly looksInside: boolean;
}

/** Whether a tag runs a script, or has a quoted value and a backtick, which browsers and markdown read differently. */
const isDangerous = (tag: string): boolean => RUNS_SCRIPT.test(tag) || (tag.includes("`") && HAS_VALUE.test(tag));

/** Whether the content of `<…>` is text: an autolink, or an unknown element's name, as in `List<String>`. */
const isTextInMarkdown = (tag: string): boolean =>
  AUTOLINK.test(tag) || (/^\/?[a-z]/i.test(tag) && !isElement(NAME.exec(tag)?.[1] ?? "") && !isDangerous(tag));

/** A `<` that may start a tag, and the state of its attributes. */
class Opened {
  /** Its position in the kept characters. */
  readonly place: number;
  #quote: string | null = null;
  #isAfterEquals = false;

  constructor(place: number) {
    this.place = place;
  }

  /** Whether an attribute's value is open: `a title="`. */
  get isInValue(): boolean {
    return this.#quote !== null;
  }

  add(character: string): void {
    if (this.#quote !== null) {
      if (character === this.#quote) this.#quote = null;
    } else if (this.#isAfterEquals && (character === '"' || character === "'")) this.#quote = character;
    if (!/\s/.test(character)) this.#isAfterEquals = character === "=" && this.#quote === null;
  }
}

/** One pass over a text. */
class Stripping {
  readonly #text: string;
  readonly #reading: Reading;
  readonly #lastComment: number;
  readonly #kept: string[] = [];
  /** The innermost last. */
  readonly #opened: Opened[] = [];
  /** The end of the last autolink, which may contain backticks. */
  #autolinkTo = 0;

  constructor(text: string, reading: Reading) {
    this.#text = text;
    this.#reading = reading;
    this.#lastComment = text.lastIndexOf("-->");
  }

  /**
   * The text without its tags. A tag is what browsers parse as one: from `<` and a letter, `/`, `!` or `?` to the next `>`. Text joined by
   * a removal is checked as it grows, because notes are unbounded and callers choose them.
   */
  result(): string {
    for (let at = 0; at < this.#text.length; ) {
      const end = this.#codeFrom(at);
      if (end === undefined) {
        at = this.#take(at);
        continue;
      }
      // A tag does not extend into code.
      this.#opened.length = 0;
      for (; at < end; at++) this.#kept.push(this.#text[at] as string);
    }
    const unclosed = this.#opened.find(({ place }) => WITH_CONTENTS.test(this.#beginning(place)));
    if (unclosed) this.#kept.length = unclosed.place;
    return this.#kept.join("");
  }

  /** Records an autolink that starts with the `<` before a position. */
  #noteAutolink(at: number): void {
    if (this.#text[at - 1] !== "<" || isEscaped(this.#text, at - 1)) return;
    UP_TO_END.lastIndex = at;
    const [, address] = UP_TO_END.exec(this.#text) ?? [];
    if (address !== undefined && AUTOLINK.test(address)) this.#autolinkTo = at + address.length;
  }

  /** The text after a `<`, as far as names are examined. */
  #beginning(place: number): string {
    return this.#kept.slice(place + 1, place + 1 + LONGEST_NAME).join("");
  }

  #isComment(place: number): boolean {
    return this.#kept[place + 1] === "!" && this.#kept[place + 2] === "-" && this.#kept[place + 3] === "-";
  }

  /** The end of the code that starts at a position. Within an open comment or attribute value, or after a backslash, no code starts. */
  #codeFrom(at: number): number | undefined {
    const [open, { code }] = [this.#opened.at(-1), this.#reading];
    if (open && this.#isComment(open.place) && at < this.#lastComment + "-->".length) return undefined;
    const block = code.blockAt(at);
    if (block !== undefined || this.#text[at] !== "`" || isEscaped(this.#text, at)) return block;
    if (at < this.#autolinkTo) return undefined;
    // A run of backticks that opens no span is text as a whole.
    if (this.#text[at - 1] === "`" && !isEscaped(this.#text, at - 1)) return undefined;
    if (open && (open.isInValue || !/[a-z/]/i.test(this.#kept[open.place + 1] ?? ""))) return undefined;
    return code.spanAt(at);
  }

  /** Handles the non-code character at a position. @returns the next position */
  #take(at: number): number {
    const character = this.#text[at] as string;
    const outer = this.#opened.at(-1);
    const mayOpen = this.#kept.at(-1) === "<" && STARTS_TAG.test(character);
    if (mayOpen) this.#noteAutolink(at);
    if (mayOpen && (!outer || this.#isText(outer))) this.#opened.push(new Opened(this.#kept.length - 1));
    this.#kept.push(character);
    const open = this.#opened.at(-1);
    open?.add(character);
    if (character !== ">" || !open) return at + 1;
    const isEnded = this.#kept.at(-2) === "-" && this.#kept.at(-3) === "-";
    if (this.#isComment(open.place) && !isEnded && at < this.#lastComment) return at + 1;
    const tag = this.#kept.slice(open.place + 1, -1).join("");
    if (this.#reading.isText(tag)) {
      this.#opened.length = 0;
      return at + 1;
    }
    this.#kept.length = open.place;
    this.#opened.pop();
    const [, element] = WITH_CONTENTS.exec(tag) ?? [];
    return element ? afterContents(this.#text, element, at + 1) : at + 1;
  }

  /** Whether the opened `<` is text by its name, so that a later `<` can start a tag of its own. */
  #isText({ place }: Opened): boolean {
    return this.#reading.looksInside && this.#reading.isText(NAME.exec(this.#beginning(place))?.[0] ?? "");
  }
}

/** Whether a character is escaped: an odd number of backslashes precedes it. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === "\\") before -= 1;
  return (at - before) % 2 === 1;
}

/**
 * Plain text without HTML: removes every tag, and comments, scripts and styles with their contents; keeps only addresses in angle brackets.
 * Idempotent. For texts that are never rendered as markdown, such as names in mails.
 */
export const plainWithoutHtml = (text: string): string =>
  text.includes("<")
    ? new Stripping(text, { code: NO_CODE, isText: (tag) => AUTOLINK.test(tag), looksInside: false }).result()
    : text;

/**
 * Markdown source without raw HTML: removes tags, and comments, scripts and styles with their contents; keeps markdown, including
 * autolinks. Code (spans, fenced and indented blocks) stays byte for byte, and a `<` of no known element is text (work §0, conventions §9).
 * Idempotent.
 *
 * A removal can create or destroy code. If a text keeps changing, it is hostile and loses every tag.
 */
export function withoutHtml(markdown: string): string {
  if (!markdown.includes("<")) return markdown;
  let text = markdown;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const next = new Stripping(text, { code: new Code(text), isText: isTextInMarkdown, looksInside: true }).result();
    if (next === text) return text;
    text = next;
  }
  return plainWithoutHtml(text);
}
