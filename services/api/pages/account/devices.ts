/** Checked in this order: most browsers also claim another's name. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\b(OPR|Opera)\//, "Opera"],
  [/\bVivaldi\//, "Vivaldi"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|CriOS|HeadlessChrome|Chromium)\//, "Chrome"],
  [/\bVersion\/.*\bSafari\//, "Safari"],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bWindows\b/, "Windows"],
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac(intosh|OS)?\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];
/** The first product of a non-browser client, such as `curl/8.5.0`. */
const PRODUCT = /^([A-Za-z][\w .-]{0,39}?)\//;

const firstIn = (table: readonly (readonly [RegExp, string])[], agent: string): string | undefined =>
  table.find(([pattern]) => pattern.test(agent))?.[1];

/**
 * A human name for a device: `Firefox on Windows`, `curl`.
 * @param on the word between browser and system
 * @param unknown the name of an unidentifiable device
 */
export function deviceOf(userAgent: string | null, { on, unknown }: { on: string; unknown: string }): string {
  const agent = userAgent ?? "";
  const [browser, system] = [firstIn(BROWSERS, agent), firstIn(SYSTEMS, agent)];
  if (browser && system) return `${browser} ${on} ${system}`;
  const product = agent.startsWith("Mozilla/") ? undefined : PRODUCT.exec(agent)?.[1];
  return browser ?? product ?? system ?? unknown;
}
