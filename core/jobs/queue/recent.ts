/** Counts recent occurrences: in the current time window and in the previous one. */
export class Recent {
  readonly #length: number;
  #stretch = 0;
  #count = 0;
  #before = 0;

  /** @param length of a window in ms */
  constructor(length: number) {
    this.#length = length;
  }

  #turn(): void {
    const stretch = Math.floor(Date.now() / this.#length);
    if (stretch === this.#stretch) return;
    this.#before = stretch === this.#stretch + 1 ? this.#count : 0;
    this.#count = 0;
    this.#stretch = stretch;
  }

  add(count: number): void {
    this.#turn();
    this.#count += count;
  }

  /** The count of the current window so far. */
  get now(): number {
    this.#turn();
    return this.#count;
  }

  /** The greater count of both windows. */
  get most(): number {
    this.#turn();
    return Math.max(this.#count, this.#before);
  }

  /** Ms until the next window begins. */
  get left(): number {
    return this.#length - (Date.now() % this.#length);
  }
}
