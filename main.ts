import { globSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { type BrokerOptions, ServiceBroker } from "moleculer";
import { ConfigurationError, isEmbedded } from "./core/config.ts";
import { StartRefused } from "./core/embedded/server.ts";
import { MigrationRefused } from "./migrations/run.ts";
import { seedDemo } from "./operator/seed.ts";

const { values: options } = parseArgs({
  options: { actors: { type: "string", multiple: true }, repl: { type: "boolean", default: false } },
  allowPositionals: true,
});

/** Files of the actors whose service name matches one of the patterns (`companies`, `companies.*`, `api`), or of all of them. */
async function actorFiles(patterns: readonly string[]): Promise<string[]> {
  const files = globSync("{services,integrations}/**/*.service.ts", { cwd: import.meta.dirname }).sort();
  if (patterns.length === 0) return files;
  const tests = patterns.map((pattern) => new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", ".*")}$`));
  const named = await Promise.all(
    files.map(async (file) => ({ file, name: ((await import(path.join(import.meta.dirname, file))).default as { name: string }).name })),
  );
  return named.filter(({ name }) => tests.some((test) => test.test(name))).map(({ file }) => file);
}

const print = (line: string) => process.stdout.write(`${line}\n`);

async function start(): Promise<void> {
  const began = performance.now();
  const { default: brokerOptions, booted } = await import("./moleculer.config.ts");
  const broker = new ServiceBroker(brokerOptions as BrokerOptions);
  const patterns = options.actors ?? [];
  for (const file of await actorFiles(patterns)) {
    const { default: schema } = await import(path.join(import.meta.dirname, file));
    broker.createService(schema);
  }
  await broker.start();
  const running = booted.value;
  if (!running) throw new Error("the databases did not come up");
  const { config, ownerUrl } = running;
  const gateway = broker.getLocalService("api") as unknown as { server: { address(): { port: number } } } | undefined;
  const port = gateway?.server.address().port;
  const wantsDemo = config.demo ?? isEmbedded(config);
  const first = wantsDemo && ownerUrl && port ? await seedDemo(ownerUrl, config) : null;
  if (port !== undefined) print(`Kantoor is ready on http://localhost:${port} after ${Math.round(performance.now() - began)} ms.`);
  else print(`Kantoor node ${broker.nodeID} is ready with ${patterns.join(" ")}.`);
  if (first) {
    const file = path.join(config.dataDir, "first-run.json");
    const facts = {
      base_url: `http://localhost:${port}`,
      hostname: `demo.${config.baseDomain}`,
      organisation: "demo",
      admin: first.admin,
      api_key: first.apiKey,
    };
    writeFileSync(file, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
    print(`\nThe demo organisation (also at http://demo.${config.baseDomain}:${port}):`);
    print(`  e-mail    ${first.admin.email}\n  password  ${first.admin.password}\n  API key   ${first.apiKey}`);
    print(`\nThis is shown once; it is kept in ${file}.\nTry: curl -H "X-API-Key: ${first.apiKey}" http://localhost:${port}/api/v1/companies?limit=2`);
  }
  if (options.repl) (await import("./cli/repl-commands.ts")).openRepl(broker);
}

try {
  await start();
} catch (error) {
  const known = error instanceof ConfigurationError || error instanceof MigrationRefused || error instanceof StartRefused;
  process.stderr.write(known ? `${(error as Error).message}\n` : `${(error as Error).stack}\n`);
  process.exit(known ? 2 : 1);
}
