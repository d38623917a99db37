// Compares an OpenAPI document with the contract, for the modules listed beside this file. An operation that is excepted there must be
// missing: once it exists, the exception has to go.
//   node .ci/contract.mjs <openapi.json> <check.mjs>
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

const [document, checker] = process.argv.slice(2);
const lines = readFileSync(path.join(import.meta.dirname, "contract-modules"), "utf8").split("\n");
const modules = lines.flatMap((line) => {
  const [name = "", exceptions = ""] = line.split("#")[0].split(/\sexcept\s/);
  const missing = exceptions.split(",").map((operation) => operation.trim());
  return name.trim() ? [{ name: name.trim(), missing: new Set(missing.filter(Boolean)) }] : [];
});

const options = modules.flatMap(({ name }) => ["--module", name]);
const { stdout, stderr, status } = spawnSync(process.execPath, [checker, document, ...options, "--all", "--json"], {
  encoding: "utf8",
  maxBuffer: 1 << 28,
});
if (status === null || status > 1) {
  process.stderr.write(stderr);
  process.exit(1);
}
const { passed, failures } = JSON.parse(stdout);
const isMissing = ({ problems }) => problems.some(({ problem }) => problem === "endpoint missing");
const nameOf = ({ method, path: operation }) => `${method} ${operation}`;

const complaints = [];
let expected = 0;
for (const { name, missing } of modules) {
  const failed = failures.filter((failure) => failure.module === name);
  const away = new Set(failed.filter(isMissing).map(nameOf));
  for (const failure of failed) {
    if (isMissing(failure) && missing.has(nameOf(failure))) expected += 1;
    else
      complaints.push(
        `${nameOf(failure)}\n${failure.problems.map(({ at, problem }) => `    ${at ? `${at}: ` : ""}${problem}`).join("\n")}`,
      );
  }
  for (const operation of missing)
    if (!away.has(operation))
      complaints.push(
        `${operation} exists now, or the contract does not know it: remove its exception from .ci/contract-modules.`,
      );
}
for (const complaint of complaints) process.stdout.write(`  ${complaint}\n`);
process.stdout.write(`contract: ${passed} operations match, ${complaints.length} fail, ${expected} are known to be missing\n`);
process.exitCode = complaints.length === 0 ? 0 : 1;
