import { parseArgs } from "node:util";
import { type Config, ConfigurationError, isEmbedded, readConfig, unknownSettings } from "../core/config/config.ts";
import { StartRefused } from "../core/embedded/server.ts";
import { addressOf } from "../core/organisation/organisation-address.ts";
import { MigrationRefused } from "../migrations/run.ts";
import {
  type FirstRun,
  firstRunFacts,
  firstRunFile,
  isEmptyInstallation,
  keepFirstRun,
  seedDemo,
} from "../operator/demo/seed.ts";
import type { Ending } from "../operator/ending.ts";
import { databaseIsBack, isLost } from "../operator/lost-database.ts";
import { createNode, type ServiceNode } from "../operator/node.ts";
import { serveRepl } from "./console/server.ts";

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Prints the credentials once. */
function printFirstRun(first: FirstRun, config: Config, port: number): void {
  const facts = firstRunFacts(first, config, port);
  print(`\nThe demo organisation (also at ${addressOf(facts.organisation, null)}):`);
  print(`  e-mail    ${facts.admin.email}\n  password  ${facts.admin.password}\n  API key   ${facts.api_key}`);
  print(`\nThis is shown once and saved in ${firstRunFile(config)}.`);
  print(`Try: curl -H "X-API-Key: ${facts.api_key}" "${facts.base_url}/api/v1/companies?limit=2"`);
}

/** Where a gateway answers: on this machine alone unless it has a base domain, else at the addresses that callers see. */
function readySentence({ baseDomain }: Config, port: number, took: string): string {
  const isLocal = baseDomain === "localhost";
  const address = isLocal ? `http://localhost:${port}` : addressOf("<slug>", null);
  const where = isLocal ? address : `port ${port}, for organisations at ${address},`;
  return `Kantoor is ready on ${where} ${took}; the API reference is at ${address}/api/reference.`;
}

/** Lets the operator attach to this node; without a console the node serves all the same. */
async function openConsole({ broker, booted }: ServiceNode, config: Config): Promise<void> {
  try {
    await serveRepl(broker, config.dataDir, booted?.ownerUrl);
  } catch (error) {
    broker
      .getLogger("console")
      .warn({ event: "console.not_opened" }, `\`npm run repl\` cannot attach to this node: ${(error as Error).message}`);
  }
}

const hasDemo = (config: Config): boolean => config.demo ?? isEmbedded(config);

/** Creates the demo organisation if it is enabled and there is no organisation yet. */
async function firstRunOf({ booted }: ServiceNode, config: Config, port: number | undefined): Promise<FirstRun | null> {
  const ownerUrl = booted?.ownerUrl;
  if (!hasDemo(config) || ownerUrl === undefined || port === undefined) return null;
  return seedDemo(ownerUrl, config, (made) => keepFirstRun(firstRunFacts(made, config, port), config));
}

/** Whether a gateway has no organisation to serve, and this node may see all of them. */
const servesNobody = async ({ booted }: ServiceNode, config: Config, port: number | undefined): Promise<boolean> =>
  !hasDemo(config) && port !== undefined && booted?.ownerUrl !== undefined && isEmptyInstallation(booted.ownerUrl);

const causeOf = (error: unknown): string =>
  (error as Error).cause instanceof Error ? causeOf((error as Error).cause) : (error as Error).message;

/** Explains a failed start, in one sentence if the operator can fix it. */
function explain(error: unknown): { sentence: string; status: number } {
  const { message, stack } = error as Error;
  if ([ConfigurationError, MigrationRefused, StartRefused].some((kind) => error instanceof kind))
    return { sentence: message, status: 2 };
  if (isLost(error))
    return { sentence: `The database went away while the service started (${causeOf(error)}): start it again.`, status: 1 };
  return { sentence: stack ?? message, status: 1 };
}

/**
 * Starts a node. One whose external database goes away meanwhile waits, unready, and starts again when it is back, as running nodes wait. An
 * embedded one ends: its supervisor has given up.
 */
async function startNode(config: Config, patterns: readonly string[], ending: Ending): Promise<ServiceNode> {
  const waiting = new AbortController();
  for (let isTold = false; ; isTold = true) {
    const node = await createNode(config, patterns, [], [], (reason) => ending.fail(reason));
    ending.by(async () => {
      waiting.abort();
      await node.stop();
    });
    try {
      await node.start();
      return node;
    } catch (error) {
      if (ending.hasBegun || isEmbedded(config) || !isLost(error)) throw error;
      if (!isTold)
        process.stderr.write(
          `The database went away while the service started (${causeOf(error)}): this node waits, unready, until it is back.\n`,
        );
      await databaseIsBack(config, node.broker.getLocalService("api") !== undefined, waiting.signal);
    }
  }
}

/**
 * Starts the service, or with `--actors` a node with some of its actors, and reports when it is ready.
 * @param words the arguments of `npm start` and `npm run node`
 * @param ending receives the shutdown function, and ends the process if the start fails
 */
export async function startService(words: string[], ending: Ending): Promise<void> {
  const began = performance.now();
  try {
    const { values: options, positionals } = parseArgs({
      args: words,
      options: { actors: { type: "boolean", default: false }, repl: { type: "boolean", default: false } },
      allowPositionals: true,
    });
    const config = readConfig();
    for (const { name, nearest } of unknownSettings())
      process.stderr.write(`${name} is not a setting of the service and is ignored; the nearest is ${nearest}.\n`);
    const patterns = options.actors ? positionals : [];
    const node = await startNode(config, patterns, ending);
    const port = node.port();
    const first = await firstRunOf(node, config, port);
    const isEmpty = await servesNobody(node, config, port);
    if (ending.hasBegun) return;
    const took = `after ${Math.round(performance.now() - began)} ms`;
    if (port === undefined) print(`Kantoor node ${node.broker.nodeID} is ready ${took}: ${patterns.join(" ")}.`);
    else print(readySentence(config, port, took));
    if (first && port !== undefined) printFirstRun(first, config, port);
    if (isEmpty)
      print(
        "There is no organisation yet: create one with `npm run cli -- org create <slug>`, and its owner with `npm run cli -- user create <email> --role owner`.",
      );
    await openConsole(node, config);
    if (options.repl && !ending.hasBegun) (await import("./repl-commands.ts")).openRepl(node.broker, node.booted?.ownerUrl);
  } catch (error) {
    // A cancelled start throws; that is no failure.
    if (ending.hasBegun) return;
    const { sentence, status } = explain(error);
    process.stderr.write(`${sentence}\n`);
    await ending.end(status);
  }
}
