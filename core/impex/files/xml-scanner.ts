/** Callbacks of a scanner, in document order. Names have no prefix. */
export interface XmlHandlers {
  /** @param tag the raw attributes, for `attributeOf` */
  open(name: string, tag: string): void;
  close(name: string): void;
  /** A piece of text; one text may arrive in several. */
  text?(piece: string): void;
}

export class XmlRefused extends Error {
  override name = "XmlRefused";
}

/** Maximum length of a tag, comment or section; workbooks stay below a hundredth of it. */
const MOST_MARKUP = 512 * 1024;
/** Longest entity: `&#x10FFFF;`. */
const MOST_ENTITY = 12;
/** Deepest nesting; workbooks have eight levels. */
const MOST_DEPTH = 64;
const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function entity(body: string): string {
  const [, hex, decimal] = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(body) ?? [];
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  if (code <= 0x10ffff && (hex ?? decimal) !== undefined) return String.fromCodePoint(code);
  const text = Object.hasOwn(NAMED, body) ? NAMED[body] : undefined;
  if (text === undefined) throw new XmlRefused(`an entity '${body}'`);
  return text;
}

const unescaped = (text: string): string =>
  text.includes("&") ? text.replace(/&(?:([^&;]{1,12});)?/g, (_, body: string | undefined) => entity(body ?? "")) : text;

const VALUE = /\s*=\s*(?:"([^"]*)"|'([^']*)')/y;

/** The value of an attribute, or undefined. White space separates attributes, so a name only matches at the start of one. */
export function attributeOf(tag: string, name: string): string | undefined {
  for (let at = tag.indexOf(name); at >= 0; at = tag.indexOf(name, at + name.length)) {
    VALUE.lastIndex = at + name.length;
    const match = /\s/.test(tag[at - 1] ?? "") ? VALUE.exec(tag) : null;
    if (match) return unescaped(match[1] ?? (match[2] as string));
  }
  return undefined;
}

/**
 * Parses XML piece by piece, as far as a workbook's parts need it (ECMA-376): elements, attributes, text, sections. The longest tag bounds
 * its memory. It rejects document types, so nothing is ever expanded.
 */
export class XmlScanner {
  readonly #handlers: XmlHandlers;
  readonly #open: string[] = [];
  #rest = "";
  #hadRoot = false;

  constructor(handlers: XmlHandlers) {
    this.#handlers = handlers;
  }

  /** @throws XmlRefused if it is not well-formed */
  write(piece: string): void {
    const text = this.#rest + piece;
    let at = 0;
    for (;;) {
      const markup = text.indexOf("<", at);
      if (markup < 0) {
        this.#rest = text.slice(this.#text(text, at, text.length, false));
        return;
      }
      this.#text(text, at, markup, true);
      const end = this.#markup(text, markup);
      if (end < 0) {
        if (text.length - markup > MOST_MARKUP) throw new XmlRefused("a tag without an end");
        this.#rest = text.slice(markup);
        return;
      }
      at = end;
    }
  }

  /** @throws XmlRefused unless the document is complete */
  end(): void {
    if (this.#rest !== "" || this.#open.length > 0 || !this.#hadRoot) throw new XmlRefused("a document without an end");
  }

  /** Passes a text on, except an entity that may continue in the next piece. Returns where it stopped. */
  #text(text: string, from: number, to: number, isWhole: boolean): number {
    if (from === to) return to;
    const last = isWhole ? -1 : text.lastIndexOf("&");
    const isOpen = last >= from && last > to - MOST_ENTITY && !text.includes(";", last);
    const end = isOpen ? last : to;
    const piece = text.slice(from, end);
    if (this.#open.length > 0) this.#handlers.text?.(unescaped(piece));
    else if (piece.trim() !== "") throw new XmlRefused("text outside of the document");
    return end;
  }

  /** Parses the markup that starts at `<`. Returns its end, or -1 if it is incomplete. */
  #markup(text: string, from: number): number {
    const second = text[from + 1];
    if (second === undefined) return -1;
    if (second === "?") return after(text, "?>", from + 2);
    if (second === "!") return this.#section(text, from);
    const end = endOfTag(text, from + 1);
    if (end < 0) return -1;
    const tag = text.slice(from + 1, end - 1);
    if (second === "/") this.#close(tag.slice(1).trim());
    else this.#start(tag);
    return end;
  }

  #section(text: string, from: number): number {
    if (text.startsWith("<!--", from)) return after(text, "-->", from + 4);
    const opening = "<![CDATA[";
    const begins = text.slice(from, from + opening.length);
    if (begins !== opening) {
      if (opening.startsWith(begins) || "<!--".startsWith(begins)) return -1;
      throw new XmlRefused("a document type");
    }
    const end = after(text, "]]>", from + opening.length);
    if (end >= 0 && this.#open.length > 0) this.#handlers.text?.(text.slice(from + opening.length, end - 3));
    return end;
  }

  #start(tag: string): void {
    const isEmpty = tag.endsWith("/");
    const [name = ""] = /^[^\s/]*/.exec(tag) ?? [];
    if (name === "" || (this.#open.length === 0 && this.#hadRoot)) throw new XmlRefused("a second document");
    this.#hadRoot = true;
    const local = localName(name);
    this.#handlers.open(local, tag);
    if (isEmpty) this.#handlers.close(local);
    else if (this.#open.push(name) > MOST_DEPTH) throw new XmlRefused("elements nested too deeply");
  }

  #close(name: string): void {
    if (this.#open.pop() !== name) throw new XmlRefused(`'${name}' ends without a start tag`);
    this.#handlers.close(localName(name));
  }
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? -1 : at + mark.length;
}

/** The end of a tag: the `>` outside its attribute values. */
function endOfTag(text: string, from: number): number {
  for (let at = from; ; ) {
    const end = text.indexOf(">", at);
    if (end < 0) return -1;
    const quote = firstQuote(text, at, end);
    if (quote < 0) return end + 1;
    const closing = text.indexOf(text[quote] as string, quote + 1);
    if (closing < 0) return -1;
    at = closing + 1;
  }
}

function firstQuote(text: string, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22 || code === 0x27) return at;
    if (code === 0x3c) throw new XmlRefused("a tag within a tag");
  }
  return -1;
}
