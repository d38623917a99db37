import { writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { HOURS_SAMPLES } from "./hours.ts";
import { exact, hubspot, moneybird } from "./making/companies.ts";
import { google, outlook, vcards } from "./making/contacts.ts";
import { unicode, withSeparator, workbook } from "./making/lists.ts";

/**
 * Makes the sample files: 300 rows each, as the tools that agencies come from export them, by the columns those document. All people and
 * companies are invented, and the same ones every time: `node samples/make.ts`.
 */

/** The sample files by name; those of a workbook hold the same cells each time, but not the same bytes. */
export const SAMPLES: Readonly<Record<string, () => string | Buffer | Promise<Buffer>>> = {
  "hubspot-companies.csv": hubspot,
  "moneybird-contacten.csv": moneybird,
  "exact-relaties.csv": exact,
  "outlook-contacts.csv": outlook,
  "google-contacts.csv": google,
  "vcard-contacts.csv": vcards,
  "klanten-met-voorblad.xlsx": workbook,
  "klanten-sep.csv": withSeparator,
  "klanten-unicode.csv": unicode,
};

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  for (const [name, make] of Object.entries({ ...SAMPLES, ...HOURS_SAMPLES }))
    await writeFile(path.join(import.meta.dirname, name), await make());
