/**
 * What may still become a picture, HTML, a link or an address once the next characters are there: it is held back until that is decided.
 * A label or an address longer than this is not waited for.
 */
const MOST_HELD = 4000;
const UNDECIDED = [
  /(?:<?!+|<)$/,
  // A label with or without the beginning of its target.
  /!*\[[^\]\n]*(?:\](?:\([^)\n]*)?)?$/,
  // An address, or the first letters of one.
  /(?:https?:\/\/|www\.)[^\s<>"')]*$/i,
  /(?:h|ht|htt|https?|https?:|https?:\/|w|ww|www)$/i,
];
/** A link of markdown, or a bare address. One expression: what is put in for one must not become a part of the other. */
const LINK_OR_ADDRESS = /\[([^\]\n]*)\]\(([^)\n]*)\)|(?:https?:\/\/|www\.)[^\s<>"')]+/gi;
const ADDRESS = /(?:https?:\/\/|www\.)[^\s<>"')]+/gi;
/** A path of this installation, which goes nowhere else. */
const OWN_PATH = /^\/(?![/\\])\S*$/;
const ABSOLUTE = /^(?:https?:\/\/|www\.|mailto:)\S+$/i;

/** Up to where a text is decided. What comes before an undecided end may be undecided because of it, as `<` before `h`. */
function decidedUpTo(text: string): number {
  for (let at = text.length; ; ) {
    const decided = text.slice(0, at);
    const before = Math.min(...UNDECIDED.map((pattern) => pattern.exec(decided)?.index ?? at));
    if (before === at) return at;
    at = before;
  }
}

/** The host of an address, as plain text that no reader makes a link of. */
function hostOf(address: string): string {
  const url = /^www\./i.test(address) ? `https://${address}` : address;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, "") : "";
}

/**
 * Takes out of markdown that a model makes from records what could carry away what the model has read: a picture is fetched without being
 * asked for, and a link carries whatever its address holds. A picture becomes a link, a tag its own text. A link stays where the model was
 * given its very address, or where it is a path of ours; of any other
 * only its text stays, in brackets, and of a bare address its host.
 */
export class ModelTextFilter {
  readonly #seen: readonly string[];
  #held = "";

  /** @param seen the texts the model was given; more may be added while it writes */
  constructor(seen: readonly string[]) {
    this.#seen = seen;
  }

  /** What may be shown of the text so far. */
  take(text: string): string {
    const whole = this.#held + text;
    const at = decidedUpTo(whole);
    this.#held = whole.length - at > MOST_HELD ? "" : whole.slice(at);
    return this.#shown(whole.slice(0, whole.length - this.#held.length));
  }

  /** What was held back, at the end. */
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
        // The brackets keep the label apart from the text around it, with which it could become an address.
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
 * Hands the text of a model on as it may be shown.
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
