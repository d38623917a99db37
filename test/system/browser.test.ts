import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { OAuthWorld, PASSWORD, proof } from "../api/access/oauth/oauth-world.ts";
import { Invoicing, ok } from "../api/money/documents/invoicing.ts";
import { newKey } from "../api/payment/payment-world.ts";
import { MollieSimulator } from "../simulators/payment.ts";
import { freePort } from "../support/ports.ts";
import { startService, type TestService } from "../support/service.ts";
import { launchBrowser, openContext, overflow, requireChromium, violations } from "./browser.ts";

/** The main path of each kind of page; the `-browser.deep.test.ts` files have the others, mistakes and looks. */
describe("each kind of page in a browser", function () {
  this.timeout(120_000);
  const provider = new MollieSimulator();
  let service: TestService;
  let world: OAuthWorld;
  let browser: Browser;
  let page: Page;
  let origin: string;
  const problems: string[] = [];
  /** The callback of an app on the visitor's own machine. */
  const app = http.createServer((_, response) => response.end("Thank you"));

  before(async function () {
    requireChromium(this);
    await Promise.all([provider.start(), new Promise<void>((resolve) => app.listen(0, "127.0.0.1", resolve))]);
    const port = String(await freePort());
    const ports = { SERVICE_HTTP_PORT: port, SERVICE_PUBLIC_PORT: port };
    service = await startService({ ...ports, SERVICE_PAYMENT_API_ROOT: provider.root });
    world = await OAuthWorld.open(service);
    origin = `http://${world.tenant.host}:${port}`;
    browser = await launchBrowser(", MAP * ~NOTFOUND, EXCLUDE 127.0.0.1");
    const context = await openContext(browser, { viewport: { width: 360, height: 740 }, locale: "en-GB" });
    context.on("console", (message) => {
      if (message.type() === "error" && !/status of 4\d\d|favicon/.test(message.text())) problems.push(message.text());
    });
    page = await context.newPage();
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    await provider.stop().catch(() => {});
    await new Promise((resolve) => app.close(resolve));
  });
  afterEach(() => expect(problems.splice(0)).to.deep.equal([]));

  const expectWhole = async (name: string, options: object = {}) =>
    expect([await violations(page, options), await overflow(page)], name).to.deep.equal([[], 0]);

  it("leads from an app over sign-in and consent to a code that the app redeems", async () => {
    const callback = `http://127.0.0.1:${(app.address() as AddressInfo).port}/cb`;
    const client = await world.register({ client_name: "Desk assistant", redirect_uris: ["http://127.0.0.1/cb"] });
    const { verifier, challenge } = proof();
    const query = { response_type: "code", client_id: client.client_id, redirect_uri: callback, state: "s" };
    const challenged = { code_challenge: challenge, code_challenge_method: "S256" };
    await page.goto(`${origin}/oauth/authorize?${new URLSearchParams({ ...query, ...challenged })}`);
    await expectWhole("sign-in");
    await page.locator("#username").fill(world.person.email);
    await page.locator("#password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Desk assistant wants to act for you at" }).waitFor();
    await expectWhole("consent");
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL((url) => url.href.startsWith(callback));
    const back = new URL(page.url()).searchParams;
    const code = { code: back.get("code") as string, verifier };
    expect((await world.redeem(client, code, { redirect_uri: callback })).status).to.equal(200);
  });

  it("shows the app at the account, with a way to end it", async () => {
    await page.goto(`${origin}/account`);
    const section = page.locator("section:has(#apps)");
    await section.getByText("Desk assistant").waitFor();
    await expectWhole("account");
    await section.getByRole("button", { name: "Disconnect" }).click();
    await page.getByText("The app has been disconnected.").waitFor();
  });

  it("shows a client's invoice, and leads to the checkout of another site", async () => {
    const books = await Invoicing.open(service, world.tenant);
    const { id, number } = await books.issued(books.mixed());
    await ok(books.owner.post("/invoicing/payment-accounts", { label: "Account", api_key: newKey() }));
    const { rows } = await service.sql.query("select public_token from invoices where id = $1", [id]);
    await page.goto(`${origin}/invoice/${rows[0].public_token}`);
    await page.frameLocator("iframe.document").getByText(number).first().waitFor();
    await expectWhole("invoice", { iframes: false });
    const checkout = page.waitForRequest((asked) => asked.url().startsWith("https://"));
    await page.locator('form[action^="/invoice/"] button').click({ noWaitAfter: true });
    expect((await (await checkout).allHeaders())["referer"]).to.equal(undefined);
    // The checkout is on no site that is there.
    page = await page.context().newPage();
  });

  it("shows an operation of the reference with its sample", async () => {
    await page.setViewportSize({ width: 1400, height: 900 });
    await page.goto(`${origin}/api/reference#tag/companies/GET/companies`);
    await page.locator('[id$="tag/companies/GET/companies"]').first().getByText("curl 'http").waitFor();
  });
});
