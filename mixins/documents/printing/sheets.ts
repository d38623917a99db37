import type { Browser, CDPSession, HTTPRequest, Page } from "puppeteer-core";
import { TaskFailed } from "../../../core/threads/thread-pool.ts";
import { fontFaces } from "./fonts.ts";
import { pagesOf } from "./pages.ts";
import { settledPdf } from "./settled-pdf.ts";

/** The only address of our pages; `.invalid` never resolves (RFC 2606). */
const ADDRESS = "https://document.invalid/";
/** A document may load only embedded content. Scripts are off as well. */
const POLICY = "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'";
const NOTHING = "<!doctype html><title></title>";
/** The longest document, in pages and in CSS pixels, of which a page of A4 has 1,123: longer ones take minutes, and hold everybody's. */
const MOST_PAGES = 600;
const MOST_HEIGHT = MOST_PAGES * 1_123;

/** The document has more pages than {@link MOST_PAGES}; a fault of its template, as one that cannot be rendered. */
export class DocumentTooLong extends TaskFailed {
  constructor() {
    super(`the document is longer than ${MOST_PAGES} pages`);
  }
}

/** Serves the document itself and blocks everything else that is not a `data:` address. */
function answer(request: HTTPRequest, html: string): void {
  const url = request.url();
  if (url === ADDRESS)
    void request.respond({
      status: 200,
      contentType: "text/html; charset=utf-8",
      headers: { "Content-Security-Policy": POLICY },
      body: html,
    });
  else if (url.startsWith("data:")) void request.continue();
  else void request.abort("blockedbyclient");
}

/** A browser page that shows one document after another. Documents leave nothing behind, because they run no script. */
interface Sheet {
  page: Page;
  session: CDPSession;
  /** Served to the page at its next load. */
  html: string;
}

async function newSheet(browser: Browser): Promise<Sheet> {
  const page = await browser.newPage();
  const sheet: Sheet = { page, session: await page.createCDPSession(), html: NOTHING };
  await page.setJavaScriptEnabled(false);
  await page.emulateMediaType("print");
  await page.setRequestInterception(true);
  page.on("request", (request) => answer(request, sheet.html));
  return sheet;
}

const show = async (sheet: Sheet, html: string): Promise<void> => {
  sheet.html = html;
  await sheet.page.goto(ADDRESS, { waitUntil: "load", timeout: 0 });
};

/**
 * The pages of one browser. They are reused, since creating one takes longer than printing a document. Between prints they show an empty
 * document, so that no document stays in memory.
 */
export class Sheets {
  readonly #browser: Browser;
  /** Pages that are empty, or about to be. */
  readonly #idle: Promise<Sheet>[] = [];

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Prints one document as a PDF. Rejects on failure, and closes the page. @throws DocumentTooLong, if possible before it is printed */
  async print(html: string): Promise<Buffer> {
    const sheet = await (this.#idle.pop() ?? newSheet(this.#browser));
    try {
      const faces = `<style>${await fontFaces(html)}</style></head>`;
      await show(
        sheet,
        html.replace("</head>", () => faces),
      );
      const { cssContentSize } = await sheet.session.send("Page.getLayoutMetrics");
      if (cssContentSize.height > MOST_HEIGHT) throw new DocumentTooLong();
      const printed = await sheet.page.pdf({
        printBackground: true,
        preferCSSPageSize: true,
        tagged: true,
        outline: true,
        timeout: 0,
      });
      this.#giveBack(sheet);
      const pdf = Buffer.from(printed);
      if (pagesOf(pdf) > MOST_PAGES) throw new DocumentTooLong();
      return settledPdf(pdf, html);
    } catch (error) {
      void sheet.page.close().catch(() => {});
      throw error;
    }
  }

  #giveBack(sheet: Sheet): void {
    const emptied = show(sheet, NOTHING).then(
      () => sheet,
      async () => {
        await sheet.page.close().catch(() => {});
        return newSheet(this.#browser);
      },
    );
    // The next print that uses this page reports the error.
    emptied.catch(() => {});
    this.#idle.push(emptied);
  }
}
