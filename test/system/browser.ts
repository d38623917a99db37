import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { CHROMIUM, hasChromium } from "../support/chromium.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const HOSTS = "MAP *.kantoor.test 127.0.0.1";
/** Longest wait for something on a page, in milliseconds: it ends what hangs, and must not fail a busy machine. */
const PATIENCE = 150_000;

/** Skips a test on a machine without Chromium, with a message. @throws Error in CI, which must have it */
export function requireChromium(test: Mocha.Context): void {
  if (hasChromium()) return;
  if (process.env["CI"] === "true") throw new Error("Chromium is missing: apt-get install chromium");
  process.stderr.write("not run: Chromium is not installed (apt-get install chromium)\n");
  test.skip();
}

/** Starts a browser that finds the hosts of tests on this machine. @param rules of host names, in addition */
export const launchBrowser = (rules = ""): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    timeout: PATIENCE,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--disable-background-networking",
      "--disable-component-update",
      `--host-resolver-rules=${HOSTS}${rules}`,
    ],
  });

/** Opens a context whose waits are as long as `PATIENCE`. */
export async function openContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  return context;
}

/** Axe-core's findings on the page, as a rule with the elements that break it. @param options of its run */
export async function violations(page: Page, options: object = {}): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async (given) => {
    type Found = { violations: { id: string; nodes: { html: string }[] }[] };
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<Found> } };
    return (await axe.run(given)).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  }, options);
}

/** Pixels by which the page is wider than its window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
