const TAB = 4;

/** A line read from left to right in columns, with tab stops (CommonMark §2.2). */
export class Line {
  readonly text: string;
  #at = 0;
  #column = 0;
  /** Remaining columns of a partly consumed tab. */
  #rest = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The unread rest, without leading blanks. */
  get content(): string {
    return this.text.slice(this.#at).trimStart();
  }

  get isBlank(): boolean {
    return this.content === "";
  }

  /** Whether the blanks or text before the unread rest contain a tab. */
  get hasTab(): boolean {
    return this.text.slice(0, this.text.length - this.content.length).includes("\t");
  }

  /** Columns of blanks at the current position. */
  get indent(): number {
    let [columns, column] = [this.#rest, this.#column];
    for (let at = this.#at; this.text[at] === " " || this.text[at] === "\t"; at++) {
      const width = this.text[at] === " " ? 1 : TAB - (column % TAB);
      columns += width;
      column += width;
    }
    return columns;
  }

  /** Consumes up to this many columns of blanks. */
  skipBlanks(columns: number): void {
    let left = columns;
    const used = Math.min(left, this.#rest);
    this.#rest -= used;
    left -= used;
    for (; left > 0 && (this.text[this.#at] === " " || this.text[this.#at] === "\t"); this.#at++) {
      const width = this.text[this.#at] === " " ? 1 : TAB - (this.#column % TAB);
      this.#column += width;
      this.#rest = Math.max(0, width - left);
      left -= Math.min(left, width);
    }
  }

  /** Consumes this many non-blank characters. */
  skip(characters: number): void {
    this.#at += characters;
    this.#column += characters;
  }
}
