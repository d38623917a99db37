/** What text may turn into a picture or HTML once the next character is there. */
const UNDECIDED = /(?:<?!+|<)$/;

/**
 * Takes pictures and HTML out of markdown that a model makes from records: a picture is fetched without being asked for, and its address
 * could carry away what the model has read. A picture becomes a link, a tag its own text.
 */
export class PictureFilter {
  #held = "";

  /** What may be shown of the text so far. */
  take(text: string): string {
    const whole = this.#held + text;
    this.#held = UNDECIDED.exec(whole)?.[0] ?? "";
    const decided = whole.slice(0, whole.length - this.#held.length);
    return decided.replace(/!+(?=\[)/g, "").replace(/<(?=[a-z/!?])/gi, "&lt;");
  }

  /** What was held back, at the end. */
  rest(): string {
    const held = this.#held;
    this.#held = "";
    return held.replace("<!", "&lt;!");
  }
}

/** Hands text on without pictures. */
export function withoutPictures(send: (text: string) => Promise<void>): {
  onText(text: string): Promise<void>;
  end(): Promise<void>;
} {
  const filter = new PictureFilter();
  const pass = async (text: string) => {
    if (text !== "") await send(text);
  };
  return { onText: (text) => pass(filter.take(text)), end: () => pass(filter.rest()) };
}
