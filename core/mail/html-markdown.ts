import { Parser } from "htmlparser2";

/** Characters of HTML that are read; what follows is left out. */
const MOST_HTML = 4_000_000;
/** Quotes and lists in each other that are kept; deeper ones are paragraphs. */
const MOST_NESTED = 20;

const words = (text: string) => new Set(text.split(" "));
/** Elements of which a reader of the mail sees nothing. */
const UNSEEN = words(
  "script style head title template noscript iframe object embed applet svg math textarea select audio video canvas map",
);
const BLOCKS = words(
  "p div section article header footer main nav aside center address form fieldset legend dl dt dd figure figcaption table thead tbody tfoot tr caption hr pre h1 h2 h3 h4 h5 h6 ul ol body html details summary",
);
/** Styles under which nothing is seen: texts for previews of an inbox, and trackers. */
const HIDDEN =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|(?:font-size|max-height|opacity)\s*:\s*0(?:\.0+)?(?:px|pt|em|%)?\s*(?:!important\s*)?(?:;|$))/i;
/** What fills the preview of an inbox and is not seen. */
const FILLING = /[\u034f\u00ad\u200b\u2060\ufeff]/g;
const TINY = /^\s*[01](?:px)?\s*$/i;
const LEADS = /^(?:https?:\/\/|mailto:|tel:)[^\s]/i;

/** A text in markdown that means nothing but itself. */
const escaped = (text: string): string =>
  text
    .replace(/[\\`*_[\]~|]/g, "\\$&")
    .replace(/&(?=#?\w+;)/g, "&amp;")
    .replaceAll("<", "&lt;");
/** The same for the beginning of a line: no heading, item, quote or rule begins there. */
const escapedStart = (line: string): string => line.replace(/^([#>+=-])/, "\\$1").replace(/^(\d{1,9})([.)])(?=\s|$)/, "$1\\$2");

/** An address as the destination of a link. */
const destination = (href: string): string =>
  href.replace(/[\s<>()\\`"]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);

/** Blocks that are being put together: those of the message, of a quote, an item or a cell. */
interface Frame {
  kind: "root" | "quote" | "item" | "cell";
  /** What stands before its first line. */
  marker: string;
  blocks: string[];
  inline: string;
}

/** An element that is open. */
interface Opened {
  name: string;
  isUnseen: boolean;
  /** Whether it has a frame of its own. */
  isFrame: boolean;
}

/** Writes markdown while HTML is read, from its beginning to its end. */
class Writer {
  readonly #frames: Frame[] = [{ kind: "root", marker: "", blocks: [], inline: "" }];
  readonly #opened: Opened[] = [];
  readonly #lists: { isOrdered: boolean; next: number }[] = [];
  /** Cells of the rows that are open. */
  readonly #rows: string[][] = [];
  #pending = "";
  #unseen = 0;
  #preformatted = 0;
  #heading = 0;
  #link: { href: string; from: number; hasPicture: boolean } | null = null;

  get #frame(): Frame {
    return this.#frames.at(-1) as Frame;
  }

  open(name: string, attributes: Record<string, string>): void {
    this.#settle();
    const isUnseen = UNSEEN.has(name) || attributes["hidden"] !== undefined || HIDDEN.test(attributes["style"] ?? "");
    const opened: Opened = { name, isUnseen, isFrame: false };
    this.#opened.push(opened);
    if (isUnseen) this.#unseen += 1;
    if (this.#unseen > 0) return;
    if (name === "br") this.#frame.inline += "  \n";
    else if (name === "img") this.#picture(attributes);
    else if (name === "a") this.#openLink(attributes["href"]);
    else if (name === "blockquote") opened.isFrame = this.#enter("quote", "> ");
    else if (name === "li") opened.isFrame = this.#enter("item", this.#marker());
    else if (name === "td" || name === "th") opened.isFrame = this.#enter("cell", "");
    else if (BLOCKS.has(name)) this.#openBlock(name, attributes);
  }

  text(text: string): void {
    if (this.#unseen === 0) this.#pending += text;
  }

  /** Writes the text that has come in pieces: an entity is one of its own. */
  #settle(): void {
    const seen = escaped(this.#pending.replace(FILLING, ""));
    this.#pending = "";
    this.#frame.inline += this.#preformatted > 0 ? seen.replace(/\r\n?|\n/g, "  \n") : seen.replace(/[\s\u00a0]+/g, " ");
  }

  close(name: string): void {
    this.#settle();
    const opened = this.#opened.pop();
    if (!opened) return;
    if (this.#unseen > 0) {
      if (opened.isUnseen) this.#unseen -= 1;
      return;
    }
    if (name === "a") this.#closeLink();
    else if (opened.isFrame) this.#leave();
    else if (BLOCKS.has(name)) this.#closeBlock(name);
  }

  result(): string {
    this.#settle();
    while (this.#frames.length > 1) this.#leave();
    this.#flush();
    return this.#frame.blocks.join("\n\n");
  }

  #openBlock(name: string, { start }: Record<string, string>): void {
    this.#flush();
    if (name === "pre") this.#preformatted += 1;
    if (/^h[1-6]$/.test(name)) this.#heading = Number(name[1]);
    if (name === "hr") this.#frame.blocks.push("---");
    if (name === "tr") this.#rows.push([]);
    if (name === "ul" || name === "ol")
      this.#lists.push({ isOrdered: name === "ol", next: Number.parseInt(start ?? "1", 10) || 1 });
  }

  #closeBlock(name: string): void {
    this.#flush();
    if (name === "pre") this.#preformatted -= 1;
    if (/^h[1-6]$/.test(name)) this.#heading = 0;
    if (name === "ul" || name === "ol") this.#lists.pop();
    if (name === "tr") this.#endRow(this.#rows.pop() ?? []);
  }

  /** A row of short texts is one line; of a table that only arranges the mail, each cell stands for itself. */
  #endRow(cells: readonly string[]): void {
    const filled = cells.filter((cell) => cell !== "");
    if (filled.length > 1 && filled.every((cell) => !cell.includes("\n"))) this.#frame.blocks.push(filled.join(" \\| "));
    else this.#frame.blocks.push(...filled);
  }

  #marker(): string {
    const list = this.#lists.at(-1);
    return list?.isOrdered ? `${list.next++}. ` : "- ";
  }

  #enter(kind: Frame["kind"], marker: string): boolean {
    this.#flush();
    const nested = this.#frames.filter((frame) => frame.kind !== "cell").length;
    if (kind === "cell" ? this.#rows.length === 0 || this.#rows.length > MOST_NESTED : nested > MOST_NESTED) return false;
    this.#frames.push({ kind, marker, blocks: [], inline: "" });
    return true;
  }

  /** Ends a frame and hands its blocks to the one around it. */
  #leave(): void {
    this.#flush();
    const { kind, marker, blocks } = this.#frames.pop() as Frame;
    const text = blocks.join("\n\n");
    if (kind === "cell") this.#rows.at(-1)?.push(text);
    else if (text !== "") {
      const after = kind === "quote" ? marker : " ".repeat(marker.length);
      const lines = text
        .split("\n")
        .map((line, index) => `${index === 0 ? marker : after}${line}`.trimEnd().concat(line.endsWith("  ") ? "  " : ""));
      this.#append(lines.join("\n"), kind === "item");
    }
  }

  /** Adds a block; items stand right below each other. */
  #append(block: string, isItem: boolean): void {
    const { blocks } = this.#frame;
    const last = blocks.at(-1);
    if (isItem && last !== undefined && /^(?:- |\d+\. )/.test(last)) blocks[blocks.length - 1] = `${last}\n${block}`;
    else blocks.push(block);
  }

  /** Ends a paragraph, or a heading. */
  #flush(): void {
    const frame = this.#frame;
    this.#wrapLink();
    const lines = frame.inline.split("\n").map((line) => line.trim().replace(/ {2,}/g, " "));
    frame.inline = "";
    if (this.#link) this.#link.from = 0;
    while (lines[0] === "") lines.shift();
    while (lines.at(-1) === "") lines.pop();
    if (lines.length === 0) return;
    if (this.#heading > 0) frame.blocks.push(`${"#".repeat(this.#heading)} ${lines.join(" ")}`);
    else
      for (const part of lines
        .map(escapedStart)
        .join("  \n")
        .split(/(?: {2}\n){2,}/))
        frame.blocks.push(part);
  }

  #picture({ alt, width, height, style }: Record<string, string>): void {
    if ((width !== undefined && TINY.test(width)) || (height !== undefined && TINY.test(height))) return;
    if (/(?:^|[;\s])(?:width|height)\s*:\s*[01]px/i.test(style ?? "")) return;
    if (this.#link) this.#link.hasPicture = true;
    const shown = (alt ?? "").replace(FILLING, "").replace(/\s+/g, " ").trim();
    if (shown !== "") this.#frame.inline += ` ${escaped(shown)} `;
  }

  #openLink(given: string | undefined): void {
    this.#closeLink();
    const href = (given ?? "").trim();
    if (LEADS.test(href)) this.#link = { href, from: this.#frame.inline.length, hasPicture: false };
  }

  #closeLink(): void {
    const link = this.#link;
    if (link?.hasPicture && this.#frame.inline.slice(link.from).trim() === "" && URL.canParse(link.href))
      this.#frame.inline += escaped(new URL(link.href).hostname);
    this.#wrapLink();
    this.#link = null;
  }

  /** Makes a link of what has been written since it was opened. */
  #wrapLink(): void {
    if (!this.#link) return;
    const { href, from } = this.#link;
    const { inline } = this.#frame;
    const text = inline.slice(from);
    const shown = text.replace(/\s+/g, " ").trim();
    if (shown === "") return;
    const [before, after] = [/^\s/.test(text) ? " " : "", /\s$/.test(text) ? " " : ""];
    // Behind an exclamation mark it would be a picture.
    const led = inline.slice(0, from).replace(/!$/, "\\!");
    this.#frame.inline = `${led}${before}[${shown}](${destination(href)})${after}`;
    this.#link.hasPicture = false;
    this.#link.from = this.#frame.inline.length;
  }
}

/**
 * The HTML of a mail as markdown: headings, paragraphs, lists, quotes and links; tables as text, a line for each row of short cells; pictures
 * as their alternative text. Left out are scripts, styles, hidden texts, pictures that only count readers, and emphasis. Links lead to the web,
 * to mail and to telephones. Everything else is text and means nothing but itself, so that no HTML is left.
 *
 * A stranger chooses it: run it off the request's thread, within a budget.
 * @returns an empty text where the mail shows nothing
 */
export function htmlToMarkdown(html: string): string {
  const writer = new Writer();
  const parser = new Parser({
    onopentag: (name, attributes) => writer.open(name, attributes),
    ontext: (text) => writer.text(text),
    onclosetag: (name) => writer.close(name),
  });
  parser.end(html.slice(0, MOST_HTML));
  return writer.result();
}
