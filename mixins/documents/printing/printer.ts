import { refusal } from "../../../core/errors/errors.ts";
import { Turns } from "../../../core/values/turns.ts";
import type { Press } from "./browser.ts";
import { DocumentTooLong } from "./sheets.ts";

/** The settings of a printer; times in milliseconds. */
export interface PrinterOptions {
  start(): Promise<Press>;
  /** Documents at a time. One more is for an organisation that prints none, so that it need not wait for the end of another's document. */
  concurrency: number;
  /** How many may wait. */
  mostWaiting: number;
  /** Longest time a document may take once its turn comes, excluding the start of the browser. */
  timeout: number;
  /** Longest time the browser may take to start. */
  startTimeout: number;
  /** Documents after which the browser is replaced, to free its memory. */
  mostPrinted: number;
  /** Logs a sentence for the operator. */
  log(sentence: string): void;
}

/** Seconds after which a caller may retry. */
const RETRY_AFTER = "5";

const unavailable = () => refusal("unavailable", undefined, { headers: { "Retry-After": RETRY_AFTER } });

const late = (milliseconds: number): { promise: Promise<never>; clear(): void } => {
  let timer: NodeJS.Timeout;
  const promise = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${milliseconds} ms`)), milliseconds);
  });
  promise.catch(() => {});
  return { promise, clear: () => clearTimeout(timer) };
};

async function within<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  const limit = late(milliseconds);
  try {
    return await Promise.race([work, limit.promise]);
  } finally {
    limit.clear();
  }
}

/**
 * Prints documents with one browser, started at first use and kept running. If a document fails or hangs, the printer rejects it with 503
 * and `Retry-After` and replaces the browser. Other documents in that browser are printed once more by the next one. Organisations take
 * turns, so that a batch of one does not hold the documents of the others.
 */
export class Printer {
  readonly #options: PrinterOptions;
  #press: Promise<Press> | null = null;
  #printed = 0;
  #stopped = false;
  readonly #turns: Turns;

  constructor(options: PrinterOptions) {
    this.#options = options;
    this.#turns = new Turns({ total: options.concurrency + 1, keepsOne: true, mostWaiting: options.mostWaiting });
  }

  /**
   * Prints a document when it is the organisation's turn.
   * @returns the PDF
   * @throws DocumentTooLong; 503 `unavailable` with `Retry-After`
   */
  async print(html: string, organisation: string): Promise<Buffer> {
    await this.#turns.take(organisation, { refusal: unavailable });
    try {
      return await this.#printOnce(html).catch((error: unknown) => {
        // The browser ended during this document, because of another one or of this one: only a second attempt can tell.
        if (error instanceof Bystander) return this.#printOnce(html);
        throw error;
      });
    } catch (error) {
      if (error instanceof DocumentTooLong) throw error;
      this.#options.log(`A document could not be printed: ${error instanceof Error ? error.message : String(error)}`);
      throw unavailable();
    } finally {
      this.#turns.over(organisation);
    }
  }

  /** Rejects the waiting documents and ends the browser. The next document would start a new one. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#turns.refuseWaiting();
    const press = this.#press;
    this.#press = null;
    await (await press?.catch(() => null))?.end();
    this.#stopped = false;
  }

  async #printOnce(html: string): Promise<Buffer> {
    const { timeout, startTimeout, mostPrinted } = this.#options;
    if (this.#stopped) throw new Error("the service is stopping");
    this.#press ??= this.#start();
    const mine = this.#press;
    const press = await within(mine, startTimeout).catch((error: unknown) => {
      this.#drop(mine);
      throw error;
    });
    let pdf: Buffer;
    try {
      pdf = await within(press.print(html), timeout);
    } catch (error) {
      if (error instanceof DocumentTooLong) throw error;
      if (this.#press !== mine) throw new Bystander("the browser has gone");
      this.#drop(mine);
      throw error;
    }
    this.#printed += 1;
    if (this.#printed >= mostPrinted && this.#turns.taken === 1) this.#drop(mine);
    return pdf;
  }

  #start(): Promise<Press> {
    this.#printed = 0;
    const started = this.#options.start();
    started.then(
      (press) => press.onGone(() => this.#drop(started)),
      () => {},
    );
    return started;
  }

  /** Ends a browser, which is not used again. */
  #drop(press: Promise<Press>): void {
    if (this.#press === press) this.#press = null;
    void press.then(
      (one) => one.end(),
      () => {},
    );
  }
}

/** The browser was ended because of another document. */
class Bystander extends Error {}
