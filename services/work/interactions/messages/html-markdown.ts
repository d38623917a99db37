import { Parser } from "htmlparser2";
import { shortened } from "../../../../core/values/stored-text.ts";

/** Maximum characters of HTML to read; the rest is dropped. */
const MOST_HTML = 4_000_000;
/** Deepest nesting of quotes and lists; deeper ones become paragraphs. */
const MOST_NESTED = 20;

const words = (text: string) => new Set(text.split(" "));
/** Elements that a reader of the mail does not see. */
const UNSEEN = words(
  "script style head title template noscript iframe object embed applet svg math textarea select audio video canvas map",
);
const BLOCKS = words(
  "p div section article header footer main nav aside center address form fieldset legend dl dt dd figure figcaption table thead tbody tfoot tr caption hr pre h1 h2 h3 h4 h5 h6 ul ol body html details summary",
);
/** Styles that hide their content: preview texts of an inbox, and trackers. */
const HIDDEN =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|(?:font-size|max-height|opacity)\s*:\s*0(?:\.0+)?(?:px|pt|em|%)?\s*(?:!important\s*)?(?:;|$))/i;
/** Invisible characters that fill an inbox preview. */
const FILLING = /[\u034f\u00ad\u200b\u2060\ufeff]/g;
const TINY = /^\s*[01](?:px)?\s*$/i;
const LEADS = /^(?:https?:\/\/|mailto:|tel:)[^\s]/i;

/** A text escaped for markdown. */
const escaped = (text: string): string =>
  text
    .replace(/[\\`*_[\]~|]/g, "\\$&")
    .replace(/&(?=#?\w+;)/g, "&amp;")
    .replaceAll("<", "&lt;");
/** Escapes the beginning of a line, so that no heading, item, quote or rule starts there. */
const escapedStart = (line: string): string => line.replace(/^([#>+=-])/, "\\$1").replace(/^(\d{1,9})([.)])(?=\s|$)/, "$1\\$2");

/** An address as the destination of a link. */
const destination = (href: string): string =>
  href.replace(/[\s<>()\\`"]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);

/** Blocks under construction: of the message, a quote, an item or a cell. */
interface Frame {
  kind: "root" | "quote" | "item" | "cell";
  /** The prefix of its first line. */
  marker: string;
  blocks: string[];
  inline: string;
}

/** An open element. */
interface Opened {
  name: string;
  isUnseen: boolean;
  /** Whether it has its own frame. */
  isFrame: boolean;
}

/** Writes markdown while the HTML is read, in one pass. */
class Writer {
  readonly #frames: Frame[] = [{ kind: "root", marker: "", blocks: [], inline: "" }];
  readonly #opened: Opened[] = [];
  readonly #lists: { isOrdered: boolean; next: number }[] = [];
  /** Cells of the open rows. */
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

  /** Writes the pending text, which arrives in pieces, because each entity is a separate piece. */
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

  /** A row of short texts becomes one line. In a layout table, each cell becomes its own block. */
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

  /** Ends a frame and appends its blocks to the enclosing one. */
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

  /** Appends a block; list items follow each other without a blank line. */
  #append(block: string, isItem: boolean): void {
    const { blocks } = this.#frame;
    const last = blocks.at(-1);
    if (isItem && last !== undefined && /^(?:- |\d+\. )/.test(last)) blocks[blocks.length - 1] = `${last}\n${block}`;
    else blocks.push(block);
  }

  /** Ends a paragraph or a heading. */
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

  /** Turns the text since the link's start into a link. */
  #wrapLink(): void {
    if (!this.#link) return;
    const { href, from } = this.#link;
    const { inline } = this.#frame;
    const text = inline.slice(from);
    const shown = text.replace(/\s+/g, " ").trim();
    if (shown === "") return;
    const [before, after] = [/^\s/.test(text) ? " " : "", /\s$/.test(text) ? " " : ""];
    // After an exclamation mark it would become a picture.
    const led = inline.slice(0, from).replace(/!$/, "\\!");
    this.#frame.inline = `${led}${before}[${shown}](${destination(href)})${after}`;
    this.#link.hasPicture = false;
    this.#link.from = this.#frame.inline.length;
  }
}

/**
 * Converts the HTML of a mail to markdown: headings, paragraphs, lists, quotes and links. Tables become text, with one line per row of
 * short cells; pictures become their alternative text. It drops scripts, styles, hidden texts, tracking pictures and emphasis. Links lead
 * to the web, to mail and to telephones only. Everything else is escaped text, so no HTML remains.
 *
 * A stranger chooses the HTML: run this off the request's thread, within a budget.
 * @returns an empty text if the mail shows nothing
 */
export function htmlToMarkdown(html: string): string {
  const writer = new Writer();
  const parser = new Parser({
    onopentag: (name, attributes) => writer.open(name, attributes),
    ontext: (text) => writer.text(text),
    onclosetag: (name) => writer.close(name),
  });
  parser.end(shortened(html, MOST_HTML));
  return writer.result();
}
