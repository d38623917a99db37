// Calls a service with the demo organisation thousands of times by what its own OpenAPI document says, as the owner and as a member: valid
// and invalid input of half of the operations, seeded; which half goes by the commit. A server error, a status or media type the document
// does not name, or an answer that is not of its schema fails, and so do too few calls.
// With schemathesis in the versions of .ci/fuzz-requirements.txt:
//   node .ci/fuzz.mjs <schemathesis> <data directory> [random examples of each operation, none by default]
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { AddressSimulator } from "../test/simulators/address.ts";
import { AnthropicSimulator } from "../test/simulators/ai/anthropic.ts";
import { OpenAiSimulator } from "../test/simulators/ai/openai.ts";
import { launchService } from "../test/support/process.ts";

const [schemathesis, dataDir, examples] = process.argv.slice(2);
const ROOT = path.join(import.meta.dirname, "..");
const SEED = "20260302";
/** Paths that take members away. The fuzzer removes every member that a list has shown it, so these come last. */
const REMOVING = "^/members/";
/** Fewest calls of one run. */
const CALLS = { all: 3_000, positive: 1_000, removing: 100 };
/** What must hold of every answer, whatever was sent. */
const CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";

const register = new AddressSimulator();
const [anthropic, openai] = [new AnthropicSimulator(), new OpenAiSimulator()];
const simulators = [register, anthropic, openai];
for (const simulator of simulators) await simulator.start();
const environment = {
  SERVICE_DATA_DIR: dataDir,
  SERVICE_DEMO: "true",
  SERVICE_HTTP_PORT: "0",
  SERVICE_HTTP_ADDRESS: "127.0.0.1",
  // A disk that stands still for a while is the machine's matter, not what is judged here.
  SERVICE_REQUEST_TIMEOUT_MS: "120000",
  SERVICE_RATE_LIMIT_PER_KEY: "0",
  SERVICE_RATE_LIMIT_SIGN_IN: "0",
  SERVICE_RATE_LIMIT_ACCOUNT: "0",
  SERVICE_ADDRESS_API_URL: register.baseUrl,
  SERVICE_AI_ANTHROPIC_API_URL: anthropic.baseUrl,
  SERVICE_AI_OPENAI_API_URL: openai.baseUrl,
};
const service = await launchService(environment);

/**
 * Quarters of the paths, of which a commit's run takes two: which, its hash says, so that commits in turn have all. With a number of
 * examples it is all four.
 */
const QUARTERS = ["^/[a-c]", "^/[j-p]", "^/[d-i]", "^/[q-z]"];
function halfOfPaths() {
  if (examples) return QUARTERS;
  const { stdout } = spawnSync("git", ["rev-parse", "HEAD"], { cwd: ROOT, encoding: "utf8" });
  const isOdd = Number.parseInt(stdout.trim().at(-1) ?? "0", 16) % 2 === 1;
  return isOdd ? QUARTERS.slice(2) : QUARTERS.slice(0, 2);
}

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

/**
 * Whether nothing is wrong but answers of 503, which say with `Retry-After` that the same may be asked again: a machine that stands still
 * for a while. What keeps answering so is found the second time.
 */
function isBusy(report) {
  const statuses = [...report.matchAll(/^\[(\d{3})\] /gm)].map(([, status]) => status);
  const kinds = [...report.matchAll(/^- (.+)$/gm)].map(([, kind]) => kind);
  return (
    statuses.length > 0 && statuses.every((status) => status === "503") && kinds.every((kind) => kind.endsWith("Server error"))
  );
}

/**
 * Runs the fuzzer as one member over some paths, and then says what it said. Gives what was wrong with it, or null.
 * @param again whether this is the second time, after answers of 503
 */
const fuzz = (who, key, mode, paths, again = false) =>
  new Promise((resolve) => {
    const words = ["--config-file", path.join(ROOT, ".ci/fuzz.toml"), "run", `${base}/api/openapi.json`];
    const asked = ["--header", `X-API-Key: ${key}`, "--checks", CHECKS, "--seed", SEED, "--request-timeout", "130"];
    const pace = [
      "--max-examples",
      examples ?? "1",
      "--phases",
      `examples,coverage${examples ? ",fuzzing" : ""}`,
      "--workers",
      "1",
      "--continue-on-failure",
    ];
    // An inbox that is followed is an answer without an end.
    const input = ["--mode", mode, "--include-path-regex", paths, "--exclude-path", "/notifications/stream"];
    // What one engine does for every kind of record is asked of a few.
    const others = paths === REMOVING ? "" : `|${REMOVING}`;
    input.push("--exclude-path-regex", `^/(bulk|impex)/(?!company|domain|invoice|task)${others}`);
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
    const child = spawn(schemathesis, [...words, ...asked, ...pace, ...input, ...quiet], {
      stdio: ["ignore", "pipe", "inherit"],
      cwd: dataDir,
    });
    const least = CALLS[paths === REMOVING ? "removing" : mode];
    let report = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      report += text;
    });
    child.once("error", (error) => resolve(error.message));
    child.once("close", async (status) => {
      process.stdout.write(`\nAs ${who}:\n${report}`);
      const calls = Number(/^ *(\d+) generated/m.exec(report)?.[1] ?? 0);
      if (status !== 0 && isBusy(report) && !again) resolve(fuzz(who, key, mode, paths, true));
      else if (status !== 0) resolve(`schemathesis ended with ${status}`);
      else if (calls < least) resolve(`${calls} calls are fewer than ${least}`);
      else resolve((await opens(key)) ? null : "the key no longer opens the organisation");
    });
  });

try {
  const { admin } = JSON.parse(readFileSync(path.join(dataDir, "first-run.json"), "utf8"));
  // Wrong input is judged alike for every member, and takes most of the time: the owner sends it, from two programs.
  const members = [
    ...halfOfPaths().map((paths) => [`the owner, ${paths}`, admin.email, "all", paths]),
    ["a member", "sanne@demo.localhost", "positive", "^/(companies|contacts|leave|meta|notifications|projects|tasks|time)"],
  ];
  // At the same time, as people work: it is quicker too.
  const judge = async ([who, email, mode, paths]) => {
    const wrong = await fuzz(who, keyOf(email), mode, paths);
    if (wrong === null) return;
    process.stderr.write(`As ${who}: ${wrong}.\n`);
    process.exitCode = 1;
  };
  await Promise.all(members.map(judge));
  await judge(["the owner, last", admin.email, "all", REMOVING]);
  // What the service itself says of its answers; what stand-ins of providers have refused is no news.
  const wrong = service
    .output()
    .split("\n")
    .filter((line) => /"level":[456]0/.test(line) && !line.includes("provider_error"));
  if (wrong.length > 0) process.stderr.write(`What the service wrote:\n${wrong.slice(-40).join("\n")}\n`);
} finally {
  await service.stop();
  for (const simulator of simulators) await simulator.stop();
}
