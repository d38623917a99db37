const TAB = 4;

/** A line that is read from left to right in columns, as tabs count (CommonMark §2.2). */
export class Line {
  readonly text: string;
  #at = 0;
  #column = 0;
  /** Columns of a tab that is only half used. */
  #rest = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** What has not been read, without blanks before it. */
  get content(): string {
    return this.text.slice(this.#at).trimStart();
  }

  get isBlank(): boolean {
    return this.content === "";
  }

  /** Whether there is a tab before what has not been read. */
  get hasTab(): boolean {
    return this.text.slice(0, this.text.length - this.content.length).includes("\t");
  }

  /** Columns of blanks that come next. */
  get indent(): number {
    let [columns, column] = [this.#rest, this.#column];
    for (let at = this.#at; this.text[at] === " " || this.text[at] === "\t"; at++) {
      const width = this.text[at] === " " ? 1 : TAB - (column % TAB);
      columns += width;
      column += width;
    }
    return columns;
  }

  /** Reads so many columns of blanks, as far as there are any. */
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

  /** Reads so many characters that are no blanks. */
  skip(characters: number): void {
    this.#at += characters;
    this.#column += characters;
  }
}
