import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { packagedMajor } from "../../../core/embedded/binaries.ts";
import { type EmbeddedServer, startEmbedded } from "../../../core/embedded/server.ts";
import { knownSteps, migrate } from "../../../migrations/run.ts";
import { importedTexts } from "./import-graph.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
/** Where the cluster of the last steps is kept for the next run. */
const KEPT = path.join(ROOT, "node_modules", ".cache", "test-clusters");
const TEMPLATE = "kantoor_template";
const APPLICATION = '"kantoor_app"';

const start = (dataDir: string): Promise<EmbeddedServer> =>
  startEmbedded({ dataDir, durable: false, settings: { max_connections: "300" } });

const copy = (from: string, to: string) => promisify(execFile)("cp", ["-a", from, to]);

/** Digest of the steps and of everything that makes the cluster they run on. */
async function digestOfSteps(): Promise<string> {
  const steps = globSync("migrations/{*,before-0.3/*}.ts", { cwd: ROOT });
  const digest = createHash("sha256").update(await packagedMajor());
  const texts = importedTexts(ROOT, [...steps, "core/embedded/server.ts"]);
  for (const file of globSync("migrations/baseline/*.sql", { cwd: ROOT }))
    texts.set(file, readFileSync(path.join(ROOT, file), "utf8"));
  for (const [file, text] of [...texts].sort(([one], [other]) => (one < other ? -1 : 1))) digest.update(`${file}\n${text}\n`);
  return digest.digest("hex").slice(0, 16);
}

/** Keeps a copy of a stopped cluster, in place of those of other steps. Without the right to write there it keeps none. */
async function keep(dataDir: string, kept: string): Promise<void> {
  try {
    await mkdir(KEPT, { recursive: true });
    const made = await mkdtemp(path.join(KEPT, "new-"));
    await copy(`${dataDir}/.`, made);
    for (const other of globSync("[0-9a-f]*", { cwd: KEPT })) await rm(path.join(KEPT, other), { recursive: true, force: true });
    await rename(made, kept);
  } catch (error) {
    process.stderr.write(`The migrated database is not kept for the next run: ${(error as Error).message}\n`);
  }
}

/** Creates a cluster with the template database and its steps. */
async function create(dataDir: string): Promise<void> {
  const server = await start(dataDir);
  try {
    const admin = new pg.Client({ connectionString: server.url("superuser", "postgres") });
    await admin.connect();
    await admin.query(`create database ${TEMPLATE} template kantoor owner kantoor_owner`);
    await admin.end();
    await migrate(server.url("owner", TEMPLATE), APPLICATION, knownSteps());
  } finally {
    await server.stop({ force: true });
  }
}

/**
 * Starts a run's PostgreSQL, with the database `kantoor_template` that every service of a test gets a clone of. Copies the cluster of an
 * earlier run if no step has changed since; the search functions, which follow the lists of the modules, are always created.
 * @param dataDir an empty folder, or none yet
 */
export async function startCluster(dataDir: string): Promise<EmbeddedServer> {
  const kept = path.join(KEPT, await digestOfSteps());
  if (existsSync(kept)) await copy(kept, dataDir);
  else {
    await create(dataDir);
    await keep(dataDir, kept);
  }
  const server = await start(dataDir);
  await migrate(server.url("owner", TEMPLATE), APPLICATION);
  return server;
}
