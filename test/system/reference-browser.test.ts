import { existsSync } from "node:fs";
import { expect } from "chai";
import { type Browser, chromium, type Page } from "playwright-core";
import { freePort } from "../support/ports.ts";
import { startService, type Tenant, type TestService } from "../support/service.ts";

const CHROMIUM = "/usr/bin/chromium";
/** Folder for a picture of each step; unset takes none. */
const PICTURES = process.env["TEST_PICTURES"];
/** The document has a thousand operations, and the machine may be busy. */
const PATIENCE = 150_000;

describe("the reference in a browser", function () {
  this.timeout(2 * PATIENCE);
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
    if (!existsSync(CHROMIUM)) {
      if (process.env["CI"] === "true") throw new Error("Chromium is missing: apt-get install chromium");
      process.stderr.write("not run: Chromium is not installed (apt-get install chromium)\n");
      this.skip();
    }
    const port = String(await freePort());
    service = await startService({ SERVICE_HTTP_PORT: port, SERVICE_PUBLIC_PORT: port });
    tenant = await service.tenant();
    origin = `http://${tenant.host}:${port}`;
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--host-resolver-rules=MAP *.kantoor.test 127.0.0.1",
      ],
    });
    page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    page.setDefaultTimeout(PATIENCE);
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
