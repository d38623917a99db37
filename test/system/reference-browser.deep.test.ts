import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { freePort } from "../support/ports.ts";
import { startService, type Tenant, type TestService } from "../support/service.ts";
import { launchBrowser, openContext, requireChromium } from "./browser.ts";

/** Folder for a picture of each step; unset takes none. */
const PICTURES = process.env["TEST_PICTURES"];

describe("the reference in a browser", function () {
  this.timeout(300_000);
  let service: TestService;
  let tenant: Tenant;
  let browser: Browser;
  let page: Page;
  let origin: string;
  const problems: string[] = [];
  const foreign: string[] = [];

  const picture = async (name: string) => {
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/reference-${name}.png` });
  };

  before(async function () {
    requireChromium(this);
    const port = String(await freePort());
    service = await startService({ SERVICE_HTTP_PORT: port, SERVICE_PUBLIC_PORT: port });
    tenant = await service.tenant();
    origin = `http://${tenant.host}:${port}`;
    browser = await launchBrowser();
    page = await (await openContext(browser, { viewport: { width: 1400, height: 900 } })).newPage();
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("request", (request) => {
      if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith("data:")) foreign.push(request.url());
    });
    await page.addInitScript(
      'addEventListener("securitypolicyviolation", (event) => console.error("policy: " + event.violatedDirective + " " + event.sample))',
    );
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });
  afterEach(() => {
    expect(problems.splice(0)).to.deep.equal([]);
    expect(foreign.splice(0)).to.deep.equal([]);
  });

  const operation = () => page.locator('[id$="tag/companies/GET/companies"]').first();

  it("shows an operation on the page with all of them, by its operation id", async () => {
    await page.goto(`${origin}/api/redoc#tag/companies/operation/companiesCreate`);
    const create = page.locator('[id$="tag/companies/operation/companiesCreate"]').first();
    await create.getByText("--request POST").waitFor();
    expect(await create.evaluate((element) => Math.abs(element.getBoundingClientRect().top) < 200)).to.equal(true);
    await picture("classic");
  });

  it("shows an operation with samples in curl, TypeScript and Python", async () => {
    await page.goto(`${origin}/api/reference#tag/companies/GET/companies`);
    await operation().getByText("curl 'http").waitFor();
    await picture("curl");
    for (const [shown, client, sample] of [
      ["Shell Curl", "js/fetch", /^\s*fetch\('http/m],
      ["JavaScript Fetch", "python/requests", /requests\.get\(/],
    ] as const) {
      await operation().getByText(shown).click();
      await page.locator(`[role="option"][id$="-${client}"]`).click();
      await operation().getByText(sample).first().waitFor();
      await picture(client.replace("/", "-"));
    }
  });

  it("finds an operation by its words", async () => {
    await page
      .getByRole("button", { name: /search/i })
      .first()
      .click();
    await page.keyboard.type("create a company");
    await page.getByRole("dialog").getByText("Create a company group").first().waitFor();
    await picture("search");
    await page.keyboard.press("Escape");
  });

  it("signs in with a key and sends a request", async () => {
    await tenant.owner.post("/companies", { name: "Bakkerij De Korenaar" });
    await operation().getByText("Test Request").click();
    const dialog = page.getByRole("dialog").filter({ hasText: "Authentication" });
    await dialog
      .getByLabel("Value", { exact: true })
      .first()
      .fill(tenant.owner.key as string);
    const answered = page.waitForResponse((response) => response.url().startsWith(`${origin}/api/v1/companies`));
    await dialog.locator('[data-addressbar-action="send"]:visible').click();
    expect((await answered).status()).to.equal(200);
    await dialog.getByText("Bakkerij De Korenaar").first().waitFor();
    await picture("console");
  });
});
