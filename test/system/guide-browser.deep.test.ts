import { expect } from "chai";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { freePort } from "../support/ports.ts";
import { startService, type Tenant, type TestService } from "../support/service.ts";
import { launchBrowser, openContext, overflow, requireChromium, violations } from "./browser.ts";

/** Folder for a picture of each page; unset takes none. */
const PICTURES = process.env["TEST_PICTURES"];
const LOOKS = [
  { name: "light-wide", colorScheme: "light", viewport: { width: 1440, height: 900 } },
  { name: "dark-phone", colorScheme: "dark", viewport: { width: 360, height: 740 } },
] as const;
const PAGES = [
  "/api/guide",
  "/api/guide/tour",
  "/api/guide/guides/invoice-to-paid",
  "/api/guide/rules/money",
  "/api/guide/security",
  "/api/guide/readme",
  "/api/guide?q=webhook",
  "/api/guide/nothing",
  "/api/docs/errors",
  "/api/docs/errors/validation",
  "/api/docs/errors/companies.client_number_taken",
  "/api/docs/errors/automation_webhook_private_target",
];
/** Bytes of the first page with its style sheet and script, as they travel, and its requests. */
const MOST_BYTES = 40_000;
const MOST_REQUESTS = 3;

describe("the guide in a browser", function () {
  this.timeout(300_000);
  let service: TestService;
  let tenant: Tenant;
  let browser: Browser;
  let origin: string;
  const problems: string[] = [];

  async function opened(look: (typeof LOOKS)[number], options: object = {}): Promise<{ context: BrowserContext; page: Page }> {
    const context = await openContext(browser, { ...look, ...options, permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("request", (request) => {
      if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith("data:")) problems.push(request.url());
    });
    await page.addInitScript(
      'addEventListener("securitypolicyviolation", (event) => console.error("policy: " + event.violatedDirective + " " + event.sample))',
    );
    page.on("console", (message) => {
      if (message.text().startsWith("policy: ")) problems.push(message.text());
    });
    return { context, page };
  }

  before(async function () {
    requireChromium(this);
    const port = String(await freePort());
    service = await startService({ SERVICE_HTTP_PORT: port, SERVICE_PUBLIC_PORT: port });
    tenant = await service.tenant();
    origin = `http://${tenant.host}:${port}`;
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });
  afterEach(() => {
    expect(problems.splice(0)).to.deep.equal([]);
  });

  for (const look of LOOKS)
    it(`has no findings of axe and fits the window (${look.name})`, async () => {
      const { context, page } = await opened(look);
      const found: string[] = [];
      for (const [at, address] of PAGES.entries()) {
        await page.goto(origin + address);
        if (PICTURES) await page.screenshot({ path: `${PICTURES}/guide-${look.name}-${at}.png` });
        found.push(...(await violations(page)).map((finding) => `${address} ${finding}`));
        const wider = await overflow(page);
        if (wider > 0) found.push(`${address} is ${wider} pixels wider than the window`);
      }
      expect(found).to.deep.equal([]);
      await context.close();
    });

  it("opens its pages in a menu on a phone, without a script too", async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { context, page } = await opened(LOOKS[1], { javaScriptEnabled });
      await page.goto(`${origin}/api/guide`);
      const tour = page.locator(".side").getByRole("link", { name: "The tour" });
      expect(await tour.isVisible()).to.equal(false);
      await page.getByRole("button", { name: "Menu" }).click();
      await tour.waitFor();
      if (PICTURES && javaScriptEnabled) await page.screenshot({ path: `${PICTURES}/guide-menu.png` });
      await tour.click();
      await page.getByRole("heading", { level: 1, name: "The tour" }).waitFor();
      await context.close();
    }
  });

  it("finds pages, errors and operations as one types, and opens them by keyboard", async () => {
    for (const [words, kind, address] of [
      ["keep a copy", "Guide", /\/api\/guide\/(copies|guides\/sync)/],
      ["client_number_taken", "Error", /\/api\/docs\/errors\/companies\.client_number_taken$/],
      ["POST /companies", "Operation", /\/api\/redoc#tag\/companies\/operation\/companies/],
    ] as const) {
      const { context, page } = await opened(LOOKS[0]);
      await page.goto(`${origin}/api/guide/tour`);
      await page.keyboard.press("/");
      await page.keyboard.type(words);
      const first = page.getByRole("option").first();
      await first.waitFor();
      expect(await first.locator(".kind").textContent(), words).to.equal(kind);
      expect(await violations(page)).to.deep.equal([]);
      if (PICTURES) await page.screenshot({ path: `${PICTURES}/guide-search-${kind}.png` });
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.waitForURL(address);
      await context.close();
    }
  });

  it("says that nothing was found, until the words change", async () => {
    const { context, page } = await opened(LOOKS[1]);
    await page.goto(`${origin}/api/guide`);
    const status = page.locator(".found");
    await page.getByRole("combobox").fill("zzzznothing");
    await page.getByText("Nothing found").waitFor();
    expect((await status.boundingBox())?.width).to.be.above(50);
    await page.getByRole("combobox").fill("client_number_taken");
    await page.getByRole("option").first().waitFor();
    expect(await status.textContent()).to.equal("1 result");
    expect((await status.boundingBox())?.width).to.be.below(2);
    await context.close();
  });

  it("keeps the language of samples and the dark mode over its pages", async () => {
    const { context, page } = await opened(LOOKS[0]);
    await page.goto(`${origin}/api/guide/guides/invoice-to-paid`);
    expect(await page.locator(".sample:visible").first().getAttribute("data-language")).to.equal("sh");
    await page.getByRole("button", { name: "Python" }).first().click();
    await page.getByRole("button", { name: "Dark mode" }).click();
    await page.goto(`${origin}/api/guide/guides/report`);
    const shown = await page.locator(".sample:visible").evaluateAll((all) => all.map((one) => one.getAttribute("data-language")));
    expect(new Set(shown)).to.deep.equal(new Set(["python"]));
    expect(await page.getByRole("button", { name: "Dark mode" }).getAttribute("aria-pressed")).to.equal("true");
    expect(await page.evaluate("getComputedStyle(document.body).colorScheme")).to.equal("dark");
    expect(await violations(page)).to.deep.equal([]);
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/guide-dark-python.png` });
    await page.goto(`${origin}/api/docs/errors`);
    expect(await page.getByRole("button", { name: "Dark mode" }).getAttribute("aria-pressed")).to.equal("true");
    await context.close();
  });

  it("copies a sample", async () => {
    const { context, page } = await opened(LOOKS[0]);
    // Only pages of https and of the machine itself may write to the clipboard.
    await page.addInitScript(
      "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { globalThis.copied = text; } } })",
    );
    await page.goto(`${origin}/api/guide/guides/invoice-to-paid`);
    await page.locator(".code:visible").first().getByRole("button", { name: "Copy" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("copied")).to.equal(await page.locator(".code:visible pre").first().textContent());
    await context.close();
  });

  it(`sends its first page in ${MOST_REQUESTS} requests and less than ${MOST_BYTES} bytes`, async () => {
    const { context, page } = await opened(LOOKS[0]);
    const sizes: Promise<number>[] = [];
    page.on("requestfinished", (request) => {
      if (!request.url().startsWith("data:")) sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await page.goto(`${origin}/api/guide`, { waitUntil: "networkidle" });
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect([sizes.length, bytes < MOST_BYTES], `${bytes} bytes`).to.deep.equal([MOST_REQUESTS, true]);
    await context.close();
  });
});
