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
/** Characters of an element's name that are looked at. */
const LONGEST_NAME = 32;
/** Times a text is read before it is taken for hostile: what is taken out joins the rest to something else each time. */
const MOST_ROUNDS = 8;

/** Where the text goes on after the contents of a script or style; an unclosed one reaches to the end. */
function afterContents(markdown: string, element: string, from: number): number {
  const closing = CLOSING[element.toLowerCase() as keyof typeof CLOSING];
  closing.lastIndex = from;
  const end = closing.test(markdown) ? markdown.indexOf(">", closing.lastIndex) : -1;
  return end < 0 ? markdown.length : end + 1;
}

/** Spans of code of one paragraph: where the run of backticks at a place is closed by one as long (CommonMark §6.1). */
class CodeSpans {
  readonly #text: string;
  readonly #place: Span;
  /** Places of the runs by their length, those still ahead last. */
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

  /** Where the span ends that begins at a place; undefined where none does. */
  endOf(from: number): number | undefined {
    let opened = from;
    while (this.#text[opened] === "`" && opened < this.#place.to) opened += 1;
    const places = this.#runs.get(opened - from) ?? [];
    while ((places.at(-1) ?? Number.POSITIVE_INFINITY) < opened) places.pop();
    const closing = places.at(-1);
    return closing === undefined ? undefined : closing + opened - from;
  }
}

/** Walks over what is code in a text, from its beginning to its end. */
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

  /** The end of the block that holds a place. */
  blockAt(at: number): number | undefined {
    while (this.#block < this.#blocks.length && (this.#blocks[this.#block] as Span).to <= at) this.#block += 1;
    const block = this.#blocks[this.#block];
    return block && block.from <= at ? block.to : undefined;
  }

  /** The end of the span that begins at a place, where a backtick is. */
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

/** Nothing is code in plain text. */
const NO_CODE = { blockAt: () => undefined, spanAt: () => undefined };

/** How a text is read: what of it is code, and whether a `<` may be text where it opens nothing that is known. */
interface Reading {
  readonly code: Pick<Code, "blockAt" | "spanAt">;
  readonly isText: (tag: string) => boolean;
  /** Whether a `<` behind one that opens no element is looked at for itself; else it is a part of that one's tag. */
  readonly looksInside: boolean;
}

/** An attribute that runs a script, or a value with a backtick, which a browser and markdown would each read as theirs. */
const isDangerous = (tag: string): boolean => RUNS_SCRIPT.test(tag) || (tag.includes("`") && HAS_VALUE.test(tag));

/** Whether what stands between `<` and `>` is text: an autolink, or a name that no element has, as in `List<String>`. */
const isTextInMarkdown = (tag: string): boolean =>
  AUTOLINK.test(tag) || (/^\/?[a-z]/i.test(tag) && !isElement(NAME.exec(tag)?.[1] ?? "") && !isDangerous(tag));

/** A `<` that may open a tag, and how far its attributes have been read. */
class Opened {
  /** Its place in what is kept. */
  readonly place: number;
  #quote: string | null = null;
  #isAfterEquals = false;

  constructor(place: number) {
    this.place = place;
  }

  /** Whether the value of an attribute is open: `a title="`. */
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

/** One reading of a text, from its beginning to its end. */
class Stripping {
  readonly #text: string;
  readonly #reading: Reading;
  readonly #lastComment: number;
  readonly #kept: string[] = [];
  /** The innermost last. */
  readonly #opened: Opened[] = [];
  /** The end of the last autolink: backticks in one are a part of it. */
  #autolinkTo = 0;

  constructor(text: string, reading: Reading) {
    this.#text = text;
    this.#reading = reading;
    this.#lastComment = text.lastIndexOf("-->");
  }

  /**
   * The text without its tags. A tag is what a browser takes for one: from `<` and a letter, `/`, `!` or `?` to the next `>`. What a removed tag
   * joins together is looked at as it grows, because notes are unbounded and a caller chooses them.
   */
  result(): string {
    for (let at = 0; at < this.#text.length; ) {
      const end = this.#codeFrom(at);
      if (end === undefined) {
        at = this.#take(at);
        continue;
      }
      // A tag does not reach into code.
      this.#opened.length = 0;
      for (; at < end; at++) this.#kept.push(this.#text[at] as string);
    }
    const unclosed = this.#opened.find(({ place }) => WITH_CONTENTS.test(this.#beginning(place)));
    if (unclosed) this.#kept.length = unclosed.place;
    return this.#kept.join("");
  }

  /** Notes an autolink that a `<` before a place begins. */
  #noteAutolink(at: number): void {
    if (this.#text[at - 1] !== "<" || isEscaped(this.#text, at - 1)) return;
    UP_TO_END.lastIndex = at;
    const [, address] = UP_TO_END.exec(this.#text) ?? [];
    if (address !== undefined && AUTOLINK.test(address)) this.#autolinkTo = at + address.length;
  }

  /** What follows a `<`, as far as names are looked at. */
  #beginning(place: number): string {
    return this.#kept.slice(place + 1, place + 1 + LONGEST_NAME).join("");
  }

  #isComment(place: number): boolean {
    return this.#kept[place + 1] === "!" && this.#kept[place + 2] === "-" && this.#kept[place + 3] === "-";
  }

  /** Where code ends that begins at a place: no comment is open, no value of an attribute, and no backslash stands before it. */
  #codeFrom(at: number): number | undefined {
    const [open, { code }] = [this.#opened.at(-1), this.#reading];
    if (open && this.#isComment(open.place) && at < this.#lastComment + "-->".length) return undefined;
    const block = code.blockAt(at);
    if (block !== undefined || this.#text[at] !== "`" || isEscaped(this.#text, at)) return block;
    if (at < this.#autolinkTo) return undefined;
    // A run of backticks that opens nothing is text as a whole.
    if (this.#text[at - 1] === "`" && !isEscaped(this.#text, at - 1)) return undefined;
    if (open && (open.isInValue || !/[a-z/]/i.test(this.#kept[open.place + 1] ?? ""))) return undefined;
    return code.spanAt(at);
  }

  /** Takes the character at a place, which is not code. @returns where the text goes on */
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

  /** Whether what a `<` has opened is text by its name: then one that follows is looked at for itself. */
  #isText({ place }: Opened): boolean {
    return this.#reading.looksInside && this.#reading.isText(NAME.exec(this.#beginning(place))?.[0] ?? "");
  }
}

/** Whether a backslash takes away the meaning of a character: an odd number of them stands before it. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === "\\") before -= 1;
  return (at - before) % 2 === 1;
}

/**
 * Plain text without HTML: every tag goes, comments, scripts and styles with their contents; only addresses between angles stay. Applying it twice
 * changes nothing. For texts that nothing renders as markdown, such as names in mails.
 */
export const plainWithoutHtml = (text: string): string =>
  text.includes("<")
    ? new Stripping(text, { code: NO_CODE, isText: (tag) => AUTOLINK.test(tag), looksInside: false }).result()
    : text;

/**
 * Markdown source without raw HTML: tags go, comments, scripts and styles with their contents; markdown itself, autolinks included, stays.
 * What stands in code (spans, fenced and indented blocks) is no HTML and stays byte for byte, and a `<` that opens no known element is text
 * (work §0, conventions §9). Applying it twice changes nothing.
 *
 * What is taken out can make code of something, or no code; a text in which that goes on and on is hostile, and keeps no tag at all.
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
