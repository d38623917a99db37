import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { Invoicing, ok } from "../api/money/documents/invoicing.ts";
import { newKey } from "../api/payment/payment-world.ts";
import { MollieSimulator } from "../simulators/payment.ts";
import { freePort } from "../support/ports.ts";
import { startService, type TestService } from "../support/service.ts";
import { launchBrowser, openContext, overflow, requireChromium, violations } from "./browser.ts";

describe("pages of documents in a browser", function () {
  this.timeout(120_000);
  let provider: MollieSimulator;
  let service: TestService;
  let books: Invoicing;
  let browser: Browser;
  let page: Page;
  let origin: string;
  const problems: string[] = [];

  before(async function () {
    requireChromium(this);
    provider = new MollieSimulator();
    await provider.start();
    const port = String(await freePort());
    const ports = { SERVICE_HTTP_PORT: port, SERVICE_PUBLIC_PORT: port };
    service = await startService({ ...ports, SERVICE_PAYMENT_API_ROOT: provider.root });
    books = await Invoicing.open(service, await service.tenant());
    origin = `http://${books.tenant.host}:${port}`;
    browser = await launchBrowser(", MAP * ~NOTFOUND");
    const context = await openContext(browser, { viewport: { width: 360, height: 740 } });
    context.on("console", (message) => {
      if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) problems.push(message.text());
    });
    page = await context.newPage();
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    await provider?.stop();
  });

  /** Checks a page with axe; the content of the document's frame is its template's. */
  async function lookAt(name: string, ...allowed: string[]): Promise<void> {
    const found = (await violations(page, { iframes: false })).map((one) => one.split(":")[0]);
    expect(found, name).to.deep.equal(allowed);
    expect(await overflow(page), `${name} is wider than the window`).to.equal(0);
  }

  const tokenOf = async (table: "invoices" | "quotes", id: string): Promise<string> =>
    (await service.sql.query(`select public_token from ${table} where id = $1`, [id])).rows[0].public_token;

  it("lead from an invoice to a checkout of another site and back", async () => {
    const long = {
      description:
        "Ontwerp en bouw van de nieuwe productpagina's\nmet eenzeerlangwoorddatnietkanwordenafgebrokenindewoordenboeken",
    };
    const { id, number } = await books.issued([books.line("7.5", "1234567.89", "21", long), ...books.mixed()]);
    const { id: letterhead } = await ok(
      books.owner.post("/invoicing/templates", { name: "L", config: { design: "letterhead" } }),
    );
    await ok(books.owner.post("/invoicing/payment-accounts", { label: "Account", api_key: newKey() }));
    const address = `${origin}/invoice/${await tokenOf("invoices", id)}`;
    await page.goto(address);
    await page.frameLocator("iframe.document").getByText(number).first().waitFor();
    await lookAt("invoice");
    // The document itself, in the frame and in its own window: nothing is cut off, and its letters are no smaller than the page's notes.
    const frame = page.frames().find((one) => one.url().endsWith("/preview"));
    for (const design of ["classic", "letterhead"]) {
      if (design === "letterhead") {
        await books.service.sql.query("update invoices set template_id = $2 where id = $1", [id, letterhead]);
        await frame?.goto(frame.url());
      }
      const measured = await frame?.evaluate<[number, number]>(
        "[document.documentElement.scrollWidth - document.documentElement.clientWidth, parseFloat(getComputedStyle(document.body).fontSize)]",
      );
      expect(measured?.[0], `${design} is wider than its frame`).to.equal(0);
      expect(measured?.[1], design).to.be.at.least(14);
      const cut = await frame?.evaluate<string[]>(
        "[...document.querySelectorAll('.content *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest('.unseen')).map((one) => one.className)",
      );
      expect(cut, `${design} is cut off`).to.deep.equal([]);
    }
    const checkout = page.waitForRequest((asked) => asked.url().startsWith("https://"));
    await page.locator('form[action^="/invoice/"] button').click({ noWaitAfter: true });
    expect((await (await checkout).allHeaders())["referer"]).to.equal(undefined);
    // The checkout is on no site that is there, which ends the navigation of this page at a time of its own.
    page = await page.context().newPage();
    await page.goto(`${address}?return=1`);
    await page.getByRole("status").waitFor();
    // A page without script that reloads: it contains nothing that is being read or filled in, and stops after five minutes.
    await lookAt("invoice under way", "meta-refresh");
  });

  it("take a client's decision on a quote, after a mistake that is read out", async () => {
    const { id } = await ok(books.owner.post("/invoicing/quotes", { company_id: books.company, lines: books.mixed() }));
    await ok(books.owner.post(`/invoicing/quotes/${id}/issue`, {}));
    await page.goto(`${origin}/quote/${await tokenOf("quotes", id)}`);
    await lookAt("quote");
    await page.locator('button[value="accepted"]').click();
    await page.getByRole("alert").waitFor();
    await lookAt("quote refused");
    await page.locator("#name").fill("Jo Visser");
    await page.locator('button[value="accepted"]').click();
    await page.getByRole("status").waitFor();
    await lookAt("quote accepted");
    expect((await ok(books.owner.get(`/invoicing/quotes/${id}`))).status).to.equal("accepted");
  });

  it("break none of their own policies on the way", () => expect(problems).to.deep.equal([]));
});
