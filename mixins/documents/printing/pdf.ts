import path from "node:path";
import type { Service, ServiceSchema } from "moleculer";
import { runtime } from "../../../core/config/runtime.ts";
import { startBrowser } from "./browser.ts";
import { browserMissing, type Whereabouts } from "./browser-program.ts";
import { Printer } from "./printer.ts";

/** Documents printed at a time, and those that may wait: each is a page of some 50 MB in the browser. */
const CONCURRENCY = 2;
const MOST_WAITING = 60;
/** Milliseconds the browser may take to start; where the operator gives a PDF more, the machine is slow for both. */
const START_TIMEOUT = 25_000;
const MOST_PRINTED = 2_000;

let printer: Printer | undefined;
let log: (sentence: string) => void = () => {};

function whereabouts(): Whereabouts {
  const { chromiumPath, dataDir } = runtime().config;
  return { configured: chromiumPath, folder: path.join(dataDir, "browsers") };
}

/**
 * Prints an HTML document as a PDF: tagged, with title, language and outline. The same document gives the same bytes. It makes no
 * statement, so call it where no transaction is open: it can take seconds. The node's one browser starts with the first document.
 * @param html a whole document that loads nothing; its `dcterms.date` becomes the date of the file
 * @throws 503 `unavailable` with `Retry-After` where there is no browser, it is too busy, or the document fails or takes too long
 */
export function pdfOf(html: string): Promise<Buffer> {
  printer ??= printerWithin(runtime().config.pdfTimeout);
  return printer.print(html);
}

/** Pages of a file that the browser printed: their dictionaries are not compressed. */
export const pagesOf = (pdf: Buffer): number => pdf.toString("latin1").match(/\/Type \/Page\b/g)?.length ?? 0;

function printerWithin(timeout: number): Printer {
  const startTimeout = Math.max(START_TIMEOUT, timeout);
  return new Printer({
    start: () => startBrowser(whereabouts(), startTimeout, (sentence) => log(sentence)),
    timeout,
    startTimeout,
    concurrency: CONCURRENCY,
    mostWaiting: MOST_WAITING,
    mostPrinted: MOST_PRINTED,
    log: (sentence) => log(sentence),
  });
}

/** Actors of this node that print. */
let actors = 0;

/**
 * The mixin of every actor that makes PDF files. The first of a node tells at the start where there is no browser; the last ends the browser
 * at the stop, so that none is taken from another.
 */
export const printing: Partial<ServiceSchema> = {
  async started(this: Service): Promise<void> {
    actors += 1;
    if (actors > 1) return;
    log = (sentence) => this.logger.warn(sentence);
    const missing = await browserMissing(whereabouts());
    if (missing !== null) this.logger.warn(missing);
  },
  async stopped(): Promise<void> {
    actors -= 1;
    if (actors > 0) return;
    const ending = printer;
    printer = undefined;
    await ending?.stop();
  },
};
