import { parseArgs } from "node:util";
import { serveRepl } from "./cli/console/server.ts";
import { type Config, ConfigurationError, isEmbedded, readConfig } from "./core/config/config.ts";
import { StartRefused } from "./core/embedded/server.ts";
import { MigrationRefused } from "./migrations/run.ts";
import { type FirstRun, firstRunFacts, firstRunFile, keepFirstRun, seedDemo } from "./operator/demo/seed.ts";
import { createNode, type ServiceNode } from "./operator/node.ts";

const { values: options, positionals } = parseArgs({
  options: { actors: { type: "boolean", default: false }, repl: { type: "boolean", default: false } },
  allowPositionals: true,
});

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Tells how to get in, once. */
function tellFirstRun(first: FirstRun, config: Config, port: number): void {
  const facts = firstRunFacts(first, config, port);
  print(`\nThe demo organisation (also at http://${facts.hostname}:${port}):`);
  print(`  e-mail    ${facts.admin.email}\n  password  ${facts.admin.password}\n  API key   ${facts.api_key}`);
  print(`\nThis is shown once; it is kept in ${firstRunFile(config)}.`);
  print(`Try: curl -H "X-API-Key: ${facts.api_key}" "${facts.base_url}/api/v1/companies?limit=2"`);
}

/** Lets the operator attach to this node; one that cannot offer it serves all the same. */
async function openConsole({ broker, booted }: ServiceNode, config: Config): Promise<void> {
  try {
    await serveRepl(broker, config.dataDir, booted?.ownerUrl);
  } catch (error) {
    broker.getLogger("console").warn(`\`npm run repl\` cannot attach to this node: ${(error as Error).message}`);
  }
}

async function start(): Promise<ServiceNode> {
  const began = performance.now();
  const config = readConfig();
  const patterns = options.actors ? positionals : [];
  const node = await createNode(config, patterns);
  await node.start();
  const [port, ownerUrl] = [node.port(), node.booted?.ownerUrl];
  const wanted = (config.demo ?? isEmbedded(config)) && ownerUrl !== undefined && port !== undefined;
  const first = wanted
    ? await seedDemo(ownerUrl, config, (made) => keepFirstRun(firstRunFacts(made, config, port), config))
    : null;
  const took = `after ${Math.round(performance.now() - began)} ms`;
  if (port === undefined) print(`Kantoor node ${node.broker.nodeID} is ready ${took}: ${patterns.join(" ")}.`);
  else print(`Kantoor is ready on http://localhost:${port} ${took}; the API reference is at http://localhost:${port}/api/docs.`);
  if (first && port !== undefined) tellFirstRun(first, config, port);
  await openConsole(node, config);
  return node;
}

try {
  const node = await start();
  // A terminal, npm and a supervisor may all pass on one Ctrl-C; the first one counts.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.on(signal, () => void node.stop().then(() => process.exit(0)));
  if (options.repl) (await import("./cli/repl-commands.ts")).openRepl(node.broker, node.booted?.ownerUrl);
} catch (error) {
  const known = error instanceof ConfigurationError || error instanceof MigrationRefused || error instanceof StartRefused;
  process.stderr.write(known ? `${error.message}\n` : `${(error as Error).stack}\n`);
  process.exit(known ? 2 : 1);
}
