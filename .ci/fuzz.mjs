// Calls a service with the demo organisation thousands of times by what its own OpenAPI document says, as the owner and as a member: valid
// and invalid input of every operation, seeded. A server error, a status or media type the document does not name, or an answer that is
// not of its schema fails, and so do fewer than 5,000 calls.
// With schemathesis in the versions of .ci/fuzz-requirements.txt:
//   node .ci/fuzz.mjs <schemathesis> <data directory> [examples of each operation]
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { AddressSimulator } from "../test/simulators/address.ts";
import { launchService } from "../test/support/process.ts";

const [schemathesis, dataDir, examples = "2"] = process.argv.slice(2);
const ROOT = path.join(import.meta.dirname, "..");
const SEED = "20260302";
/** Fewest calls of one member. */
const CALLS = 5_000;
/** What must hold of every answer, whatever was sent. */
const CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";

const register = new AddressSimulator();
await register.start();
const environment = {
  SERVICE_DATA_DIR: dataDir,
  SERVICE_DEMO: "true",
  SERVICE_HTTP_PORT: "0",
  SERVICE_HTTP_ADDRESS: "127.0.0.1",
  SERVICE_RATE_LIMIT_PER_KEY: "0",
  SERVICE_RATE_LIMIT_SIGN_IN: "0",
  SERVICE_RATE_LIMIT_ACCOUNT: "0",
  SERVICE_ADDRESS_API_URL: register.baseUrl,
};
const service = await launchService(environment);

/** A key of a member of the demo organisation, with everything that member may do. */
function keyOf(email) {
  const words = ["--disable-warning=ExperimentalWarning", path.join(ROOT, "cli/main.ts"), "key", "create", "--org", "demo"];
  const run = spawnSync(process.execPath, [...words, "--user", email, "--scopes", "all", "--json"], {
    encoding: "utf8",
    env: { ...process.env, ...environment },
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout).secret;
}

const base = `http://localhost:${service.port}`;

/** Whether a key opens the demo organisation. One that a call of its own revoked would have had only 401s to judge. */
async function opens(key) {
  const { status } = await fetch(`${base}/api/v1/meta/me`, { headers: { "X-API-Key": key } });
  return status === 200;
}

/** Runs the fuzzer as one member, and then says what it said. Gives what was wrong with it, or null. */
const fuzz = (who, key) =>
  new Promise((resolve) => {
    const words = ["run", `${base}/api/openapi.json`, "--header", `X-API-Key: ${key}`, "--checks", CHECKS, "--seed", SEED];
    const pace = ["--max-examples", examples, "--phases", "examples,coverage,fuzzing", "--workers", "1", "--continue-on-failure"];
    const quiet = [
      "--suppress-health-check",
      "all",
      "--warnings",
      "off",
      "--no-shrink",
      "--generation-database",
      "none",
      "--no-color",
    ];
    const child = spawn(schemathesis, [...words, ...pace, ...quiet], { stdio: ["ignore", "pipe", "inherit"], cwd: dataDir });
    let report = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      report += text;
    });
    child.once("error", (error) => resolve(error.message));
    child.once("close", async (status) => {
      process.stdout.write(`\nAs ${who}:\n${report}`);
      const calls = Number(/^ *(\d+) generated/m.exec(report)?.[1] ?? 0);
      if (status !== 0) resolve(`schemathesis ended with ${status}`);
      else if (calls < CALLS) resolve(`${calls} calls are fewer than ${CALLS}`);
      else resolve((await opens(key)) ? null : "the key no longer opens the organisation");
    });
  });

try {
  const { admin } = JSON.parse(readFileSync(path.join(dataDir, "first-run.json"), "utf8"));
  const members = [
    ["the owner", admin.email],
    ["a member", "sanne@demo.localhost"],
  ];
  // At the same time, as people work: it is quicker too.
  const judged = members.map(async ([who, email]) => {
    const wrong = await fuzz(who, keyOf(email));
    if (wrong === null) return;
    process.stderr.write(`As ${who}: ${wrong}.\n`);
    process.exitCode = 1;
  });
  await Promise.all(judged);
} finally {
  await service.stop();
  await register.stop();
}
