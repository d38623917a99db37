import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect } from "chai";
import { type Browser, chromium, type Page } from "playwright-core";
import { Invoicing, ok } from "../api/money/documents/invoicing.ts";
import { newKey } from "../api/money/online/payment-world.ts";
import { MollieSimulator } from "../simulators/payment.ts";
import { freePort } from "../support/ports.ts";
import { startService, type TestService } from "../support/service.ts";

const CHROMIUM = "/usr/bin/chromium";
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

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
    if (!existsSync(CHROMIUM)) {
      if (process.env["CI"] === "true") throw new Error("Chromium is missing: apt-get install chromium");
      process.stderr.write("not run: Chromium is not installed (apt-get install chromium)\n");
      this.skip();
    }
    provider = new MollieSimulator();
    await provider.start();
    const port = String(await freePort());
    const ports = { SERVICE_HTTP_PORT: port, SERVICE_PUBLIC_PORT: port };
    service = await startService({ ...ports, SERVICE_PAYMENT_API_ROOT: provider.root });
    books = await Invoicing.open(service, await service.tenant());
    origin = `http://${books.tenant.host}:${port}`;
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-background-networking",
        "--disable-component-update",
        "--host-resolver-rules=MAP *.kantoor.test 127.0.0.1, MAP * ~NOTFOUND",
      ],
    });
    const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
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
    await page.evaluate(AXE);
    const found = await page.evaluate(async () => {
      type Axe = { run(options: object): Promise<{ violations: { id: string }[] }> };
      return (await (globalThis as unknown as { axe: Axe }).axe.run({ iframes: false })).violations.map(({ id }) => id);
    });
    expect(found, name).to.deep.equal(allowed);
    const wider = await page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    expect(wider, `${name} is wider than the window`).to.equal(0);
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
    const checkout = page.waitForRequest((asked) => asked.url().startsWith("https://"), { timeout: 10_000 });
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
