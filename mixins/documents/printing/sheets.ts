import type { Browser, HTTPRequest, Page } from "puppeteer-core";
import { fontFaces } from "./fonts.ts";
import { settledPdf } from "./settled-pdf.ts";

/** The one address a page of ours has; `.invalid` never resolves (RFC 2606). */
const ADDRESS = "https://document.invalid/";
/** What a document may load: nothing but what it holds itself. Scripts are off besides. */
const POLICY = "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'";
const NOTHING = "<!doctype html><title></title>";

/** Lets the document itself through and refuses everything else that is no `data:` address. */
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

/** A page of the browser that shows one document after another; a document cannot leave anything behind, for nothing in it runs. */
interface Sheet {
  page: Page;
  /** What it shows when it is loaded. */
  html: string;
}

async function newSheet(browser: Browser): Promise<Sheet> {
  const page = await browser.newPage();
  const sheet: Sheet = { page, html: NOTHING };
  await page.setJavaScriptEnabled(false);
  await page.setRequestInterception(true);
  page.on("request", (request) => answer(request, sheet.html));
  return sheet;
}

const show = async (sheet: Sheet, html: string): Promise<void> => {
  sheet.html = html;
  await sheet.page.goto(ADDRESS, { waitUntil: "load", timeout: 0 });
};

/**
 * The pages of one browser. Each serves again, since the browser takes longer to make one than to print a document; in between it shows an
 * empty document, so that none stays in memory for longer than it is printed.
 */
export class Sheets {
  readonly #browser: Browser;
  /** Pages that wait, or are on their way back to being empty. */
  readonly #idle: Promise<Sheet>[] = [];

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** A PDF of one document. Rejects when it cannot, and its page is not used again. */
  async print(html: string): Promise<Buffer> {
    const sheet = await (this.#idle.pop() ?? newSheet(this.#browser));
    try {
      const faces = `<style>${await fontFaces(html)}</style></head>`;
      await show(
        sheet,
        html.replace("</head>", () => faces),
      );
      const pdf = await sheet.page.pdf({
        printBackground: true,
        preferCSSPageSize: true,
        tagged: true,
        outline: true,
        timeout: 0,
      });
      this.#giveBack(sheet);
      return settledPdf(Buffer.from(pdf), html);
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
    // The print that takes the page next is told.
    emptied.catch(() => {});
    this.#idle.push(emptied);
  }
}
