import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { OAuthWorld, PASSWORD, proof, type Registered } from "../api/access/oauth/oauth-world.ts";
import { freePort } from "../support/ports.ts";
import { startService } from "../support/service.ts";
import { launchBrowser, openContext, overflow, requireChromium, violations } from "./browser.ts";

describe("the consent page in a browser", function () {
  this.timeout(120_000);
  let world: OAuthWorld;
  let client: Registered;
  let origin: string;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const problems: string[] = [];
  /** The app, on the visitor's own machine: its callback, and a page of its own that frames another. */
  const app = http.createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url as string, "http://app");
    const frame =
      pathname === "/frame" ? `<iframe src="${searchParams.get("of")?.replaceAll("&", "&amp;")}"></iframe>` : "Thank you";
    response.writeHead(200, { "Content-Type": "text/html" }).end(`<!doctype html><title>App</title>${frame}`);
  });
  let callback: string;

  before(async function () {
    requireChromium(this);
    await new Promise<void>((resolve) => app.listen(0, "127.0.0.1", resolve));
    callback = `http://127.0.0.1:${(app.address() as AddressInfo).port}/cb`;
    const port = String(await freePort());
    world = await OAuthWorld.open(await startService({ SERVICE_HTTP_PORT: port, SERVICE_PUBLIC_PORT: port }));
    origin = `http://${world.tenant.host}:${port}`;
    client = await world.register({ client_name: "Desk assistant", redirect_uris: ["http://127.0.0.1/cb"] });
    browser = await launchBrowser(", MAP * ~NOTFOUND, EXCLUDE 127.0.0.1");
    context = await openContext(browser, { viewport: { width: 360, height: 740 }, locale: "en-GB" });
    context.on("console", (message) => {
      if (message.type() === "error" && !/status of 4\d\d|favicon|frame/i.test(message.text())) problems.push(message.text());
    });
    page = await context.newPage();
  });
  after(async () => {
    await browser?.close();
    await world?.service.stop();
    await new Promise((resolve) => app.close(resolve));
  });

  const address = (challenge: string, more: Record<string, string> = {}) =>
    `${origin}/oauth/authorize?${new URLSearchParams({
      response_type: "code",
      client_id: client.client_id,
      redirect_uri: callback,
      code_challenge: challenge,
      code_challenge_method: "S256",
      state: "s",
      ...more,
    })}`;
  const arrived = async (): Promise<URLSearchParams> => {
    await page.waitForURL((url) => url.href.startsWith(callback));
    return new URL(page.url()).searchParams;
  };

  it("lets a person sign in, read who asks, and send the app a code that it redeems", async () => {
    const { verifier, challenge } = proof();
    await page.goto(address(challenge));
    await page.locator("#username").fill(world.person.email);
    await page.locator("#password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Desk assistant wants to act for you at" }).waitFor();
    expect(await violations(page)).to.deep.equal([]);
    expect(await overflow(page), "wider than the window").to.equal(0);
    const box = (name: string) => page.getByRole("checkbox", { name });
    expect([await box("View clients").isChecked(), await box("Everything that you can do").isChecked()]).to.deep.equal([
      true,
      false,
    ]);
    await page.getByRole("button", { name: "Allow" }).click();
    const back = await arrived();
    expect([back.get("iss"), back.get("state")]).to.deep.equal([origin, "s"]);
    const code = { code: back.get("code") as string, verifier };
    const redeemed = await world.redeem(client, code, { redirect_uri: callback });
    expect(redeemed.status, redeemed.text).to.equal(200);
    expect(redeemed.body.scope.split(" ")).to.include("companies.company.read");
    expect(problems).to.deep.equal([]);
  });

  it("lets the person refuse", async () => {
    await page.goto(address(proof().challenge));
    await page.getByRole("button", { name: "Refuse" }).click();
    expect((await arrived()).get("error")).to.equal("access_denied");
  });

  it("shows nothing within a frame of another site", async () => {
    const of = address(proof().challenge);
    await page.goto(`${new URL(callback).origin}/frame?${new URLSearchParams({ of })}`);
    await page.waitForLoadState("load");
    const inner = page.frames().find((frame) => frame !== page.mainFrame());
    expect(await inner?.locator("form").count()).to.equal(0);
    expect(inner?.url()).to.equal("chrome-error://chromewebdata/");
  });

  it("shows the connection at the account, with a way to end it", async () => {
    await page.goto(`${origin}/account`);
    const section = page.locator("section:has(#apps)");
    await section.getByText("Desk assistant").waitFor();
    await section.getByRole("button", { name: "Disconnect" }).click();
    await page.getByText("The app has been disconnected.").waitFor();
  });
});
