import { readFileSync } from "node:fs";
import "../core/declare/catalogue/catalogue.ts";
import { unproduced } from "./support/run/unproduced.ts";

/**
 * Compares what the shares of a run produced with everything that is declared: `npm run test:seen -- seen-*.json`. The files come from
 * `--seen`, one of each share. Ends with status 1 and a line for each declared name that no test produced.
 */
const files = process.argv.slice(2);
const seen = new Set(files.flatMap((file) => JSON.parse(readFileSync(file, "utf8")) as string[]));
const missing = unproduced(seen);
process.stdout.write([...missing, `${seen.size} names in ${files.length} files, ${missing.length} missing`, ""].join("\n"));
process.exitCode = missing.length === 0 && files.length > 0 ? 0 : 1;
