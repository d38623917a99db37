// Makes seeded invoices and credit notes as UBL and has the official rules judge them: the schema of UBL 2.1, EN 16931, and with the
// Peppol profile those of Peppol BIS Billing 3. The rules are kept beside the project.
//   node .ci/e-invoices.mjs [how many, 30]
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { missingFields } from "../services/money/documents/e-invoices/requirements.ts";
import { ublOf } from "../services/money/documents/e-invoices/ubl.ts";
import { seededInvoices } from "../test/support/money/seeded-invoices.ts";

const ROOT = path.join(import.meta.dirname, "..");
const CHECKER = path.join(ROOT, "../shared/validation/check-ubl.mjs");
/** The status of a step that cannot be taken on this machine, and has said why. */
const SKIPPED = 77;

const skip = (why) => {
  console.log(`Not checked: ${why}`);
  process.exit(SKIPPED);
};
if (!existsSync(CHECKER)) skip("there are no rules for e-invoices beside the project.");
if (spawnSync("xmllint", ["--version"]).error) skip("the command xmllint is missing (Debian: libxml2-utils).");

const documents = seededInvoices(Number(process.argv[2] ?? 30));
const folder = mkdtempSync(path.join(tmpdir(), "kantoor-e-invoices-"));
let failed = false;
try {
  for (const profile of ["en16931", "peppol"]) {
    const files = [];
    let asked = 0;
    for (const [index, document] of documents.entries()) {
      // Peppol's rules are judged with the norm's once more, so every third has to do.
      if (profile === "peppol" && index % 3 > 0) continue;
      asked += 1;
      const missing = Object.keys(missingFields(document, profile));
      // Of what the norm asks for, some documents lack the due date alone; what the rules of a country ask beside it, more lack.
      if (profile === "en16931" && missing.some((field) => field !== "due_date"))
        throw new Error(`document ${index} lacks ${missing}`);
      if (missing.length > 0) continue;
      const file = path.join(folder, `${profile}-${index}.xml`);
      writeFileSync(file, ublOf(document, profile));
      files.push(file);
    }
    if (files.length === 0) throw new Error(`no document is whole enough for ${profile}`);
    const words = [CHECKER, ...(profile === "peppol" ? ["--peppol"] : []), ...files];
    const run = spawnSync(process.execPath, words, { cwd: ROOT, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
    console.log(`${profile}: ${asked} documents, ${asked - files.length} refused for what they lack`);
    process.stdout.write(run.stdout.split("\n").slice(-40).join("\n"));
    process.stderr.write(run.stderr);
    failed ||= run.status !== 0;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
