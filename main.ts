import { writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { ConfigurationError, isEmbedded, readConfig } from "./core/config.ts";
import { StartRefused } from "./core/embedded/server.ts";
import { MigrationRefused } from "./migrations/run.ts";
import { createNode, type ServiceNode } from "./operator/node.ts";
import { type FirstRun, seedDemo } from "./operator/seed.ts";

const { values: options, positionals } = parseArgs({
  options: { actors: { type: "boolean", default: false }, repl: { type: "boolean", default: false } },
  allowPositionals: true,
});

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Tells how to get in, once, and keeps it where only the operator reads. */
function tellFirstRun(first: FirstRun, config: ReturnType<typeof readConfig>, port: number): void {
  const file = path.join(config.dataDir, "first-run.json");
  const facts = {
    base_url: `http://localhost:${port}`,
    hostname: `demo.${config.baseDomain}`,
    organisation: first.organisation.slug,
    admin: first.admin,
    api_key: first.apiKey,
  };
  writeFileSync(file, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
  print(`\nThe demo organisation (also at http://demo.${config.baseDomain}:${port}):`);
  print(`  e-mail    ${first.admin.email}\n  password  ${first.admin.password}\n  API key   ${first.apiKey}`);
  print(`\nThis is shown once; it is kept in ${file}.`);
  print(`Try: curl -H "X-API-Key: ${first.apiKey}" "http://localhost:${port}/api/v1/companies?limit=2"`);
}

async function start(): Promise<ServiceNode> {
  const began = performance.now();
  const config = readConfig();
  const patterns = options.actors ? positionals : [];
  const node = await createNode(config, patterns);
  await node.start();
  const [port, ownerUrl] = [node.port(), node.booted?.ownerUrl];
  const first = (config.demo ?? isEmbedded(config)) && ownerUrl && port !== undefined ? await seedDemo(ownerUrl, config) : null;
  const took = `after ${Math.round(performance.now() - began)} ms`;
  if (port === undefined) print(`Kantoor node ${node.broker.nodeID} is ready ${took}: ${patterns.join(" ")}.`);
  else print(`Kantoor is ready on http://localhost:${port} ${took}; the API reference is at http://localhost:${port}/api/docs.`);
  if (first && port !== undefined) tellFirstRun(first, config, port);
  return node;
}

try {
  const node = await start();
  // A terminal, npm and a supervisor may all pass on one Ctrl-C; the first one counts.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.on(signal, () => void node.stop().then(() => process.exit(0)));
  if (options.repl) (await import("./cli/repl-commands.ts")).openRepl(node.broker);
} catch (error) {
  const known = error instanceof ConfigurationError || error instanceof MigrationRefused || error instanceof StartRefused;
  process.stderr.write(known ? `${error.message}\n` : `${(error as Error).stack}\n`);
  process.exit(known ? 2 : 1);
}
