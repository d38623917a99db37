import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser } from "puppeteer-core";
import { findBrowser, type Whereabouts } from "./browser-program.ts";
import { Sheets } from "./sheets.ts";

/**
 * Chromium's command-line options. None weakens security: no single process, web security stays on, site isolation keeps its default. No
 * name resolves, whatever a page requests.
 */
const ARGUMENTS: readonly string[] = [
  "--headless",
  "--disable-background-networking",
  "--disable-breakpad",
  "--disable-client-side-phishing-detection",
  "--disable-component-update",
  "--disable-crash-reporter",
  "--disable-default-apps",
  "--disable-dev-shm-usage",
  "--disable-domain-reliability",
  "--disable-extensions",
  "--disable-gpu",
  "--disable-quic",
  "--disable-sync",
  "--disable-webgl",
  "--font-render-hinting=none",
  "--force-color-profile=srgb",
  "--hide-scrollbars",
  "--host-resolver-rules=MAP * ~NOTFOUND",
  "--metrics-recording-only",
  "--mute-audio",
  "--no-default-browser-check",
  "--no-first-run",
  "--no-pings",
  "--password-store=basic",
];

/** A running browser, as the printer uses it. */
export interface Press {
  /** Prints one document as a PDF; rejects on failure. */
  print(html: string): Promise<Buffer>;
  /** Kills the browser's processes at once and removes its profile. Never throws. */
  end(): Promise<void>;
  /** Calls back when the browser has exited. */
  onGone(listener: () => void): void;
}

/** Whether Chromium can use its sandbox: as root it refuses to. */
const mayBeSandboxed = (): boolean => process.getuid?.() !== 0;

/**
 * Starts a browser with its own profile, controlled over a pipe, so that it ends with this process in any case.
 * @param within milliseconds until its first answer
 * @param log logs a sentence for the operator
 * @throws Error if there is no browser, or it does not start
 */
export async function startBrowser(where: Whereabouts, within: number, log: (sentence: string) => void): Promise<Press> {
  const { program, environment } = await findBrowser(where);
  const { launch } = await import("puppeteer-core");
  const profile = await mkdtemp(path.join(tmpdir(), "kantoor-chromium-"));
  const open = (extra: readonly string[]) =>
    launch({
      executablePath: program,
      pipe: true,
      ignoreDefaultArgs: true,
      args: [...ARGUMENTS, ...extra, "--remote-debugging-pipe", `--user-data-dir=${profile}`, "about:blank"],
      env: { ...process.env, HOME: profile, ...environment },
      timeout: within,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  let browser: Browser;
  try {
    browser = await opened(open, log);
  } catch (error) {
    await rm(profile, { recursive: true, force: true }).catch(() => {});
    throw error;
  }
  const sheets = new Sheets(browser);
  return {
    print: (html) => sheets.print(html),
    async end() {
      const child = browser.process();
      const gone = child && child.exitCode === null && child.signalCode === null;
      const ended = gone ? new Promise((resolve) => child.once("exit", resolve)) : null;
      child?.kill("SIGKILL");
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => {});
    },
    onGone: (listener) => void browser.once("disconnected", listener),
  };
}

/**
 * Opens a browser with its sandbox, or without it where it cannot start so: for root, and on machines and in containers without user
 * namespaces. Over a pipe Chromium's own reason is lost, so any failure is tried once more without.
 * @param open starts a browser with extra options; rejects if it does not start
 * @param log logs a sentence for the operator
 * @throws the first error, if it does not start without the sandbox either
 */
export async function opened<T>(
  open: (extra: readonly string[]) => Promise<T>,
  log: (sentence: string) => void,
  isSandboxed = mayBeSandboxed(),
): Promise<T> {
  if (!isSandboxed) {
    log("Chromium runs without its sandbox, which it has not for root: run the service as another user.");
    return open(["--no-sandbox"]);
  }
  try {
    return await open([]);
  } catch (error) {
    const browser = await open(["--no-sandbox"]).catch(() => Promise.reject(error));
    log("Chromium runs without its sandbox: this machine does not give the service's user user namespaces.");
    return browser;
  }
}
