// Fails on a published hole of severity high or critical in a production package, unless .ci/known-holes.json excepts it with a reason and a
// date that has not passed. Ends with status 77 if the registry does not answer.
//   node .ci/holes.mjs [file with the JSON of npm audit] [file with the exceptions]
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

const SKIPPED = 77;
const SEVERE = ["high", "critical"];
const [reported, excepted = path.join(import.meta.dirname, "known-holes.json")] = process.argv.slice(2);
const today = new Date().toISOString().slice(0, 10);

function audit() {
  if (reported !== undefined) return readFileSync(reported, "utf8");
  const command = ["audit", "--omit=dev", "--audit-level=high", "--json", "--fetch-retries=1", "--fetch-timeout=60000"];
  return spawnSync("npm", command, { cwd: path.dirname(import.meta.dirname), encoding: "utf8" }).stdout ?? "";
}

function report() {
  try {
    const { vulnerabilities } = JSON.parse(audit());
    return vulnerabilities;
  } catch {
    return undefined;
  }
}

/** The exceptions by advisory. @throws if one has no reason or no date */
function exceptions() {
  const all = JSON.parse(readFileSync(excepted, "utf8"));
  for (const { advisory, reason, until } of all)
    if (!advisory || !reason || !/^\d{4}-\d\d-\d\d$/.test(until ?? ""))
      throw new Error(
        `an exception in ${excepted} needs advisory, reason and until: ${JSON.stringify({ advisory, reason, until })}`,
      );
  return new Map(all.map((exception) => [exception.advisory, exception]));
}

const known = exceptions();
const vulnerabilities = report();
if (vulnerabilities === undefined) {
  process.stdout.write("Not checked for known holes: the package registry gives no answer to npm audit here.\n");
  process.exit(SKIPPED);
}
// A package that only depends on a vulnerable one lists its name in `via`; the hole itself is an object there.
const holes = new Map(
  Object.values(vulnerabilities)
    .flatMap(({ via }) => via)
    .filter((hole) => typeof hole === "object" && SEVERE.includes(hole.severity))
    .map((hole) => [path.basename(hole.url), hole]),
);
let open = 0;
for (const [advisory, { name, severity, title, url }] of holes) {
  const exception = known.get(advisory);
  const isExcepted = exception !== undefined && exception.until >= today;
  if (!isExcepted) open += 1;
  const note = exception && `${isExcepted ? "excepted" : "excepted only"} until ${exception.until}: ${exception.reason}`;
  process.stdout.write(`${severity} ${name} ${url} ${title}${note ? ` (${note})` : ""}\n`);
}
process.stdout.write(`${holes.size} severe holes in production packages, ${open} of them open\n`);
process.exit(open > 0 ? 1 : 0);
