import { expect } from "chai";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { lastMailTo } from "../support/mail/mailed.ts";
import { freePort } from "../support/ports.ts";
import { type Caller, startService, type Tenant, type TestService } from "../support/service.ts";
import { totp } from "../support/totp.ts";
import { launchBrowser, openContext, overflow, requireChromium, violations } from "./browser.ts";

const PASSWORD = "correct horse battery";
/** Where pictures of every page go, for a person to look at; unset: none are taken. */
const PICTURES = process.env["TEST_PICTURES"];

const looks = [
  { name: "light", colorScheme: "light", viewport: { width: 1280, height: 900 } },
  { name: "dark-phone", colorScheme: "dark", viewport: { width: 360, height: 740 } },
] as const;

describe("pages in a browser", function () {
  this.timeout(120_000);
  let service: TestService;
  let tenant: Tenant;
  let person: Caller;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let origin: string;
  const problems: string[] = [];
  let look = "";

  /** Looks at a page as a person would, and as axe does. */
  async function lookAt(name: string): Promise<void> {
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/${look}-${name}.png`, fullPage: true });
    expect(await violations(page), name).to.deep.equal([]);
    expect(await overflow(page), `${name} is wider than the window`).to.equal(0);
  }

  before(async function () {
    requireChromium(this);
    const port = String(await freePort());
    service = await startService({ SERVICE_HTTP_PORT: port, SERVICE_PUBLIC_PORT: port });
    tenant = await service.tenant();
    await tenant.owner.patch("/meta/tenant", { brand_name: "Bureau Noord", primary_color: "#0b6e4f" });
    origin = `http://${tenant.host}:${port}`;
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });

  for (const { name, colorScheme, viewport } of looks)
    describe(name, () => {
      before(async () => {
        look = name;
        person = await tenant.member("admin", { password: PASSWORD, name: "Zoë de Vries" });
        context = await openContext(browser, { colorScheme, viewport, locale: colorScheme === "dark" ? "en-GB" : "nl-NL" });
        page = await context.newPage();
        page.on(
          "console",
          (message) => message.type() === "error" && !/status of 4\d\d/.test(message.text()) && problems.push(message.text()),
        );
      });
      after(() => context.close());

      it("signs in by keyboard alone, after a mistake that is read out", async () => {
        await page.goto(`${origin}/login`);
        await lookAt("login");
        await page.keyboard.type(person.email);
        await page.keyboard.press("Tab");
        await page.keyboard.type("a wrong password");
        await page.keyboard.press("Enter");
        await page.getByRole("alert").waitFor();
        await lookAt("login-refused");
        expect(await page.locator("#username").inputValue()).to.equal(person.email);
        await page.locator("#password").fill(PASSWORD);
        await page.keyboard.press("Enter");
        await page.waitForURL(`${origin}/account`);
        await lookAt("account");
      });

      it("enrols a second factor and signs in with it", async () => {
        await page.locator('form[action^="/account/two-factor/setup"] button').click();
        await page.locator(".qr svg").waitFor();
        await lookAt("enrolment");
        const secret = (await page.locator("section:has(.qr) .secret").textContent()) as string;
        await page.locator("#first-code").fill(totp(secret));
        await page.keyboard.press("Enter");
        await page.locator(".codes li").first().waitFor();
        await lookAt("backup-codes");
        const codes = await page.locator(".codes li").allTextContents();
        expect(codes).to.have.length(10);

        await page.locator('form[action="/logout"] button').click();
        await page.waitForURL(`${origin}/login`);
        await page.locator("#username").fill(person.email);
        await page.locator("#password").fill(PASSWORD);
        await page.keyboard.press("Enter");
        await page.locator("#code").waitFor();
        await lookAt("second-step");
        await page.locator("#code").fill("000000");
        await page.keyboard.press("Enter");
        await page.getByRole("alert").waitFor();
        await page.locator('form:has(input[value="backup"]) button').last().click();
        await page.locator("#code").fill(codes[0] as string);
        await page.keyboard.press("Enter");
        await page.waitForURL(`${origin}/account`);
      });

      it("creates an API key after a mistake that keeps the input, once, and revokes it", async () => {
        await page.locator("#key-name").fill("script");
        await page.locator('form[action^="/account/keys/create"] button').click();
        await page.getByRole("alert").waitFor();
        expect(await page.locator("#key-name").inputValue()).to.equal("script");
        await lookAt("key-refused");
        await page.locator(".scopes details summary").first().click();
        await page.locator(".scopes details[open] input[type=checkbox]").first().check();
        await page.locator('form[action^="/account/keys/create"] button').click();
        await page.locator('section[aria-labelledby="keys"] > .secret').waitFor();
        await lookAt("key");
        const secret = (await page.locator('section[aria-labelledby="keys"] > .secret').textContent()) as string;
        expect((await service.call("GET", "/meta/me", { host: tenant.host, key: secret })).status).to.equal(200);
        const made = "select 1 from api_keys where account_id = $1 and name = 'script'";
        await page.reload();
        await page.locator("#keys").waitFor();
        expect((await service.sql.query(made, [person.accountId])).rowCount, "a reload makes no second one").to.equal(1);
        await page.locator('form[action^="/account/keys/revoke"] button').first().click();
        await page.getByRole("status").waitFor();
        expect((await service.call("GET", "/meta/me", { host: tenant.host, key: secret })).status).to.equal(401);
      });

      it("leads from a forgotten password over the mail to a new one", async () => {
        await context.clearCookies();
        await page.goto(`${origin}/login`);
        await page.locator('a[href="/forgot-password"]').click();
        await lookAt("forgot");
        await page.locator("#email").fill(person.email);
        await page.keyboard.press("Enter");
        await page.getByRole("status").waitFor();
        await lookAt("forgot-sent");
        const { token } = await lastMailTo(service.sql, person.email);
        await page.goto(`${origin}/reset-password?token=${token}`);
        await lookAt("reset");
        await page.locator("#password").fill("a much better one");
        await page.keyboard.press("Enter");
        await page.getByRole("status").waitFor();
        await lookAt("reset-done");
      });

      it("welcomes an invited colleague and verifies an address", async () => {
        const email = `${name}@example.com`;
        await tenant.owner.post("/members/invite", { email });
        await page.goto(`${origin}/accept-invite?token=${(await lastMailTo(service.sql, email)).token}`);
        await lookAt("invite");
        await page.goto(`${origin}/verify?token=nonsense`);
        await lookAt("verify");
        await page.locator('form[action="/verify"] button').click();
        await page.getByRole("alert").waitFor();
        await lookAt("verify-refused");
      });
    });

  it("breaks none of its own policies on the way", () => expect(problems).to.deep.equal([]));
});
