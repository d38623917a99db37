import { refusal } from "../../../core/errors/errors.ts";
import type { Press } from "./browser.ts";

/** The settings of a printer; times in milliseconds. */
export interface PrinterOptions {
  start(): Promise<Press>;
  /** Longest time a document may take once its turn comes, excluding the start of the browser. */
  timeout: number;
  /** Longest time the browser may take to start. */
  startTimeout: number;
  /** Documents printed at a time. */
  concurrency: number;
  /** Documents that may wait for their turn; further ones are rejected at once. */
  mostWaiting: number;
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
 * and `Retry-After` and replaces the browser. Other documents in that browser are printed once more by the next one.
 */
export class Printer {
  readonly #options: PrinterOptions;
  #press: Promise<Press> | null = null;
  #printed = 0;
  #running = 0;
  #stopped = false;
  readonly #waiting: { begin(): void; refuse(error: Error): void }[] = [];

  constructor(options: PrinterOptions) {
    this.#options = options;
  }

  /**
   * @returns the PDF
   * @throws 503 `unavailable` with `Retry-After`
   */
  async print(html: string): Promise<Buffer> {
    await this.#turn();
    try {
      return await this.#printOnce(html).catch((error: unknown) => {
        // The browser ended during this document, because of another one or of this one: only a second attempt can tell.
        if (error instanceof Bystander) return this.#printOnce(html);
        throw error;
      });
    } catch (error) {
      this.#options.log(`A document could not be printed: ${error instanceof Error ? error.message : String(error)}`);
      throw unavailable();
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.begin();
    }
  }

  /** Rejects the waiting documents and ends the browser. The next document would start a new one. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { refuse } of this.#waiting.splice(0)) refuse(unavailable());
    const press = this.#press;
    this.#press = null;
    await (await press?.catch(() => null))?.end();
    this.#stopped = false;
  }

  #turn(): Promise<void> {
    const { concurrency, mostWaiting } = this.#options;
    if (this.#running < concurrency) {
      this.#running += 1;
      return Promise.resolve();
    }
    if (this.#waiting.length >= mostWaiting) return Promise.reject(unavailable());
    return new Promise((resolve, reject) => {
      const begin = () => {
        this.#running += 1;
        resolve();
      };
      this.#waiting.push({ begin, refuse: reject });
    });
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
      if (this.#press !== mine) throw new Bystander("the browser has gone");
      this.#drop(mine);
      throw error;
    }
    this.#printed += 1;
    if (this.#printed >= mostPrinted && this.#running === 1) this.#drop(mine);
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
