// Has the official inspector of the Model Context Protocol, in its command-line mode, list the tools of a service with the demo
// organisation, judge their schemas, and call them: what is right, what is refused, and without a key.
//   node .ci/inspector.mjs <inspector's launcher> <data directory>
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { launchService } from "../test/support/process.ts";

const [inspector, dataDir] = process.argv.slice(2);
const service = await launchService({
  SERVICE_DATA_DIR: path.join(dataDir, "data"),
  SERVICE_DEMO: "true",
  SERVICE_HTTP_PORT: "0",
  SERVICE_HTTP_ADDRESS: "127.0.0.1",
});
const faults = [];

/** Runs the inspector with some words; gives its status and what it printed. */
function inspect(words, key) {
  const target = [`http://localhost:${service.port}/mcp`, "--transport", "http"];
  const header = key ? ["--header", `X-API-Key: ${key}`] : [];
  // It keeps settings in a home folder.
  const options = { encoding: "utf8", timeout: 60_000, env: { ...process.env, HOME: dataDir, CI: "true" } };
  return spawnSync(process.execPath, [inspector, "--cli", ...target, ...words, ...header], options);
}

/** Looks at one run. `right` gets the status and the printed JSON, null where it is none. */
function expect(what, { status, stdout, stderr }, right) {
  let printed = null;
  try {
    printed = JSON.parse(stdout);
  } catch {
    // Not every refusal is JSON.
  }
  const isRight = right(status, printed);
  process.stdout.write(`${isRight ? "ok     " : "WRONG  "} ${what}\n`);
  if (!isRight) faults.push(`${what}: ${status}\n${stdout.slice(0, 2000)}\n${stderr.slice(0, 2000)}`);
}

const textOf = (result) => JSON.parse(result.content.at(-1).text);
const call = (name, ...pairs) => [
  "--method",
  "tools/call",
  "--tool-name",
  name,
  ...(pairs.length > 0 ? ["--tool-arg", ...pairs] : []),
];

try {
  const { api_key: key } = JSON.parse(readFileSync(path.join(dataDir, "data/first-run.json"), "utf8"));
  const listed = inspect(["--method", "tools/list", "--strict"], key);
  expect("tools/list, with schemas that every client reads", listed, (status, list) => status === 0 && list.tools.length === 8);
  expect("a tool of its own", inspect(call("find_client", "q=bakkerij"), key), (status, result) => {
    return status === 0 && /bakkerij/i.test(textOf(result).items[0].name);
  });
  expect("the search", inspect(call("search_tools", "query=create invoice", "limit=2"), key), (status, result) => {
    return status === 0 && textOf(result).operations.length === 2;
  });
  expect(
    "an operation",
    inspect(call("read_tool", "operation=companiesList", 'arguments={"limit":1}'), key),
    (status, result) => {
      return status === 0 && textOf(result).items.length === 1;
    },
  );
  expect(
    "a refusal",
    inspect(call("call_tool", "operation=companiesCreate", 'arguments={"body":{}}'), key),
    (_status, result) => {
      return result.isError === true && result.structuredContent.error.fields.name === "errors.required";
    },
  );
  expect("no key", inspect(["--method", "tools/list"], null), (status) => status !== 0);
} finally {
  await service.stop();
}
process.stdout.write(faults.map((fault) => `\n${fault}\n`).join(""));
process.exitCode = faults.length > 0 ? 1 : 0;
