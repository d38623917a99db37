import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { StartRefused, startEmbedded } from "../../../core/embedded/server.ts";

/** The rows of a statement on a connection of its own. */
export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Why PostgreSQL does not start on a data directory. @throws Error if it does */
export async function refusalOf(dataDir: string): Promise<string> {
  const starting = startEmbedded({ dataDir, durable: false });
  const error = await starting.then(
    (server) => server.stop({ force: true }).then(() => new Error("it started")),
    (refused: Error) => refused,
  );
  expect(error).to.be.instanceOf(StartRefused);
  return error.message;
}

/** Whether a process has ended. */
export async function isGone(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return status === "" || status.includes(") Z ");
}

/** Waits for a condition as long as the test's own time allows. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(10);
}

/** Makes a temporary directory other users can enter: as root, PostgreSQL runs as one of them. */
export async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "kantoor-embedded-"));
  await chmod(directory, 0o755);
  return directory;
}

const ELSEWHERE = `
  const { startEmbedded } = await import(process.argv[1]);
  const server = await startEmbedded({ dataDir: process.argv[2], durable: false });
  process.stdout.write(JSON.stringify({ pid: server.pid, started: server.started }) + "\\n");
  process.stdin.resume().once("end", () => server.stop());
`;

/** Starts the server from another Node process, which stops it when its standard input ends. */
export function startElsewhere(dataDir: string): ChildProcess {
  const module = new URL("../../../core/embedded/server.ts", import.meta.url).href;
  return spawn(process.execPath, ["--input-type=module", "-e", ELSEWHERE, module, dataDir], {
    stdio: ["pipe", "pipe", "inherit"],
  });
}

export async function reportOf(child: ChildProcess): Promise<{ pid: number; started: boolean }> {
  const [line] = await once(child.stdout!, "data");
  return JSON.parse(String(line));
}

/** Kills a process that has started the server and gives the server's process id. */
export async function leaveBehind(dataDir: string): Promise<number> {
  const child = startElsewhere(dataDir);
  const { pid } = await reportOf(child);
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  return pid;
}
