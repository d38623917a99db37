/** Counts what happened lately: in the running stretch of time and in the one before it. */
export class Recent {
  readonly #length: number;
  #stretch = 0;
  #count = 0;
  #before = 0;

  /** @param length of a stretch in ms */
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

  /** Of the running stretch so far. */
  get now(): number {
    this.#turn();
    return this.#count;
  }

  /** The greater of both stretches. */
  get most(): number {
    this.#turn();
    return Math.max(this.#count, this.#before);
  }

  /** Ms until the next stretch begins. */
  get left(): number {
    return this.#length - (Date.now() % this.#length);
  }
}
