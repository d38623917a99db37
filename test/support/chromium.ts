import { existsSync } from "node:fs";

/** Where Debian's package installs Chromium. */
export const CHROMIUM = "/usr/bin/chromium";
export const hasChromium = (): boolean => existsSync(CHROMIUM);

/** Settings of a service that prints with the installed Chromium, else with the one that it downloads. */
export const printingSettings = (): Record<string, string> => (hasChromium() ? { SERVICE_CHROMIUM_PATH: CHROMIUM } : {});

/** Skips a test on a machine where nothing prints: without an installed Chromium, and without one to download. */
export function requirePrinter(test: Mocha.Context): void {
  if (hasChromium() || process.arch === "x64") return;
  process.stderr.write("not run: there is no Chromium for this machine (apt-get install chromium)\n");
  test.skip();
}
