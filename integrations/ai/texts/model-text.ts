/**
 * The filter holds text back while the next characters could still turn it into a picture, HTML, a link or an address.
 * It does not wait for a label or an address longer than this.
 */
const MOST_HELD = 4000;
const UNDECIDED = [
  /(?:<?!+|<)$/,
  // A label, possibly with the start of its target.
  /!*\[[^\]\n]*(?:\](?:\([^)\n]*)?)?$/,
  // An address, or its first letters.
  /(?:https?:\/\/|www\.)[^\s<>"')]*$/i,
  /(?:h|ht|htt|https?|https?:|https?:\/|w|ww|www)$/i,
];
/** A markdown link or a bare address, in one expression: the replacement of one must not become part of the other. */
const LINK_OR_ADDRESS = /\[([^\]\n]*)\]\(([^)\n]*)\)|(?:https?:\/\/|www\.)[^\s<>"')]+/gi;
const ADDRESS = /(?:https?:\/\/|www\.)[^\s<>"')]+/gi;
/** A path within this installation. */
const OWN_PATH = /^\/(?![/\\])\S*$/;
const ABSOLUTE = /^(?:https?:\/\/|www\.|mailto:)\S+$/i;

/** The position up to which a text is decided. An undecided end can make the text before it undecided, as in `<h`. */
function decidedUpTo(text: string): number {
  for (let at = text.length; ; ) {
    const decided = text.slice(0, at);
    const before = Math.min(...UNDECIDED.map((pattern) => pattern.exec(decided)?.index ?? at));
    if (before === at) return at;
    at = before;
  }
}

/** The host of an address, as plain text that no reader turns into a link. */
function hostOf(address: string): string {
  const url = /^www\./i.test(address) ? `https://${address}` : address;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, "") : "";
}

/**
 * Removes from a model's markdown whatever could leak the data it has read: viewers fetch pictures unasked, and a link carries any data in
 * its address. A picture becomes a link; a tag becomes plain text. A link stays if the model was given exactly that address, or if it is a
 * path of this installation. Of other links only the text stays, in brackets; of bare addresses only the host.
 */
export class ModelTextFilter {
  readonly #seen: readonly string[];
  #held = "";

  /** @param seen the texts the model was given; the caller may add more while it writes */
  constructor(seen: readonly string[]) {
    this.#seen = seen;
  }

  /** The displayable part of the text so far. */
  take(text: string): string {
    const whole = this.#held + text;
    const at = decidedUpTo(whole);
    this.#held = whole.length - at > MOST_HELD ? "" : whole.slice(at);
    return this.#shown(whole.slice(0, whole.length - this.#held.length));
  }

  /** The held-back text, at the end. */
  rest(): string {
    const held = this.#held;
    this.#held = "";
    return this.#shown(held).replace("<!", "&lt;!");
  }

  #shown(text: string): string {
    return text
      .replace(/!+(?=\[)/g, "")
      .replace(LINK_OR_ADDRESS, (found, label?: string, target?: string) => {
        if (label === undefined || target === undefined) return this.#address(found);
        // The brackets separate the label from the surrounding text, with which it could form an address.
        return this.#mayLead(target) ? found : `[${label.replace(ADDRESS, (address) => this.#address(address))}]`;
      })
      .replace(/<(?=[a-z/!?])/gi, "&lt;");
  }

  #address(address: string): string {
    return this.#mayLead(address.replace(/[.,;:!?]+$/, "")) ? address : hostOf(address);
  }

  #mayLead(target: string): boolean {
    return OWN_PATH.test(target) || (ABSOLUTE.test(target) && this.#seen.some((text) => text.includes(target)));
  }
}

/**
 * Passes a model's text on in displayable form.
 * @param seen the texts the model was given, see `ModelTextFilter`
 */
export function shownText(
  seen: readonly string[],
  send: (text: string) => Promise<void>,
): { onText(text: string): Promise<void>; end(): Promise<void> } {
  const filter = new ModelTextFilter(seen);
  const pass = async (text: string) => {
    if (text !== "") await send(text);
  };
  return { onText: (text) => pass(filter.take(text)), end: () => pass(filter.rest()) };
}
