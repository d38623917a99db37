import path from "node:path";
import type { Logger, Service, ServiceSchema } from "moleculer";
import { runtime } from "../../../core/config/runtime.ts";
import { startBrowser } from "./browser.ts";
import { browserMissing, type Whereabouts } from "./browser-program.ts";
import { Printer } from "./printer.ts";

/**
 * Documents printed at a time, one more for an organisation that prints none, and documents that may wait: each takes a page of some 50 MB
 * in the browser.
 */
const CONCURRENCY = 2;
const MOST_WAITING = 60;
/** Milliseconds for the browser to start; an operator's longer PDF timeout applies here too, as the machine is slow. */
const START_TIMEOUT = 25_000;
const MOST_PRINTED = 2_000;

let printer: Printer | undefined;
/** The logger of the first printing actor on this node. */
let logger: Logger | undefined;

function whereabouts(): Whereabouts {
  const { chromiumPath, dataDir } = runtime().config;
  return { configured: chromiumPath, folder: path.join(dataDir, "browsers") };
}

/**
 * Prints an HTML document as a PDF: tagged, with title, language and outline. The same document yields the same bytes. Call it outside a
 * transaction: it can take seconds, and runs no statement. The node's one browser starts with the first document, and organisations take
 * turns at it.
 * @param html a complete document that loads nothing; its `dcterms.date` becomes the date of the file
 * @param organisation the id of the one whose document it is
 * @throws DocumentTooLong; 503 `unavailable` with `Retry-After` if there is no browser, it is too busy, or the document fails or takes too long
 */
export function pdfOf(html: string, organisation: string): Promise<Buffer> {
  printer ??= printerWithin(runtime().config.pdfTimeout);
  return printer.print(html, organisation);
}

/**
 * Prints the sample document of a template before the template is stored, so that one that cannot be printed is not. Without a browser on
 * this machine it does nothing.
 * @throws like {@link pdfOf}
 */
export async function requirePrintable(html: string, organisation: string): Promise<void> {
  if ((await browserMissing(whereabouts())) === null) await pdfOf(html, organisation);
}

function printerWithin(timeout: number): Printer {
  const startTimeout = Math.max(START_TIMEOUT, timeout);
  return new Printer({
    start: () =>
      startBrowser(whereabouts(), startTimeout, (sentence) => logger?.warn({ event: "documents.sandbox_disabled" }, sentence)),
    timeout,
    startTimeout,
    concurrency: CONCURRENCY,
    mostWaiting: MOST_WAITING,
    mostPrinted: MOST_PRINTED,
    log: (sentence) => logger?.warn({ event: "documents.document_not_printed" }, sentence),
  });
}

/** Printing actors on this node. */
let actors = 0;

/**
 * The mixin of every actor that makes PDF files. A node's first printing actor warns at start if there is no browser. Its last one ends the
 * browser at stop, so that no other actor loses it.
 */
export const printing: Partial<ServiceSchema> = {
  async started(this: Service): Promise<void> {
    actors += 1;
    if (actors > 1) return;
    logger = this.logger;
    const missing = await browserMissing(whereabouts());
    if (missing !== null) logger.warn({ event: "documents.browser_not_found" }, missing);
  },
  async stopped(): Promise<void> {
    actors -= 1;
    if (actors > 0) return;
    const ending = printer;
    printer = undefined;
    await ending?.stop();
  },
};
