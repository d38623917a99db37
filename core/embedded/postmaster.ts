import { spawn } from "node:child_process";
import { chown, open, readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Account, environment } from "./account.ts";
import { readIfPresent } from "./files.ts";
import { StartRefused } from "./refused.ts";

/** A running PostgreSQL server, as described in its `postmaster.pid`. */
export interface Postmaster {
  pid: number;
  port: number;
  socketDirectory: string;
  status: string;
}

export const PORT = 5432;
const LONGEST_START_MS = 600_000;
const LONGEST_STOP_MS = 10_000;
const LARGEST_LOG_AT_START = 1024 ** 2;
const LARGEST_LOG = 16 * 1024 ** 2;
/** Above the largest process id that Linux assigns. */
const NO_PROCESS = 2_147_483_647;

/** Receives messages about slow steps, and cancels a start. */
export interface StartWatcher {
  log(line: string): void;
  signal?: AbortSignal | undefined;
}

/** The server that runs on the cluster, including while it starts or stops; undefined if there is none. */
export async function livePostmaster(cluster: string): Promise<Postmaster | undefined> {
  const lines = (await readIfPresent(path.join(cluster, "postmaster.pid")))?.split("\n") ?? [];
  const pid = Number(lines[0]);
  if (!(pid > 0) || !(await runsOn(pid, cluster))) return undefined;
  return { pid, port: Number(lines[3] || PORT), socketDirectory: lines[4] || cluster, status: lines[7]?.trim() ?? "" };
}

/**
 * Waits until a server that was already running is ready or has ended.
 * @throws StartRefused when neither happens
 */
export async function settledPostmaster(cluster: string, { log, signal }: StartWatcher): Promise<Postmaster | undefined> {
  const begin = Date.now();
  let said = false;
  for (;;) {
    signal?.throwIfAborted();
    const found = await livePostmaster(cluster);
    if (!found || found.status === "ready") return found;
    if (Date.now() - begin > LONGEST_START_MS)
      throw new StartRefused(`PostgreSQL (process ${found.pid}) on ${cluster} neither answers nor ends: end it and start again.`);
    if (!said && Date.now() - begin > 2000)
      log(`Waiting for PostgreSQL (process ${found.pid}), which is ${found.status || "starting"}.`);
    said ||= Date.now() - begin > 2000;
    await delay(10);
  }
}

/** A server that this process has started. */
export interface Launched {
  server: Postmaster;
  /** Resolves with how the server ends, such as `SIGKILL`. */
  end: Promise<string>;
}

/** Starts PostgreSQL in its own session, so that a Ctrl-C meant for Node does not end it before Node has drained. */
export async function launch(
  postgres: string,
  account: Account,
  placed: { cluster: string; socketDirectory: string; logFile: string },
  { log, signal }: StartWatcher,
): Promise<Launched> {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    await clearStaleLocks(placed.cluster, placed.socketDirectory);
    const started = await attemptLaunch(postgres, account, placed, { log, signal });
    if ("server" in started) return started;
    signal?.throwIfAborted();
    // Backends of a killed server end within moments, but until then the new server refuses to start on their shared memory.
    const busy = /shared memory block/.test(started.reason) && attempt < 50;
    if (!busy && attempt > 1)
      throw new StartRefused(`PostgreSQL does not start (${started.reason}): see the details in ${placed.logFile}.`);
    if (!busy) log(`PostgreSQL did not start (${started.reason}); trying once more.`);
    await delay(200);
  }
}

async function attemptLaunch(
  postgres: string,
  account: Account,
  { cluster, logFile }: { cluster: string; logFile: string },
  { log, signal }: StartWatcher,
): Promise<Launched | { reason: string }> {
  const output = await openLog(logFile, account);
  const child = spawn(postgres, ["-D", cluster], {
    ...account,
    cwd: "/",
    detached: true,
    env: environment,
    stdio: ["ignore", output.handle.fd, output.handle.fd],
  });
  let ended: string | undefined;
  const end = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signalled) => resolve(signalled ?? `exit code ${code}`));
  });
  void end.then((how) => (ended = how));
  child.unref();
  await output.handle.close();
  const begin = Date.now();
  let said = false;
  let isCalledOff = false;
  while (ended === undefined) {
    const server = await livePostmaster(cluster);
    if (server?.pid === child.pid && server?.status === "ready") return { server, end };
    const waited = Date.now() - begin;
    if (waited > 5000 && !said) log("PostgreSQL is recovering unwritten changes; this can take a while.");
    said ||= waited > 5000;
    // Not an orderly shutdown: that would wait for the end of a recovery, which the next start repeats.
    if (signal?.aborted && !isCalledOff) child.kill("SIGQUIT");
    isCalledOff ||= signal?.aborted === true;
    if (waited > LONGEST_START_MS) {
      child.kill("SIGQUIT");
      return { reason: "no answer after ten minutes" };
    }
    await delay(waited < 200 ? 4 : 20);
  }
  return { reason: (await lastWords(logFile, output.size)) || ended };
}

/**
 * Requests a fast shutdown, which ends sessions and writes everything. After ten seconds an immediate one follows, from which the next
 * start recovers: PostgreSQL 18 never ends if the request arrives just as it begins to recover from a crashed backend.
 */
export async function askToStop({ pid }: Postmaster, cluster: string): Promise<void> {
  // Do not check the lock file: it disappears a moment before the process.
  const isThere = () => runsOn(pid, cluster);
  const begin = Date.now();
  if (!(await isThere())) return;
  process.kill(pid, "SIGINT");
  let pressed = false;
  while (await isThere()) {
    if (!pressed && Date.now() - begin > LONGEST_STOP_MS) {
      process.kill(pid, "SIGQUIT");
      pressed = true;
    }
    await delay(5);
  }
}

/** The last error in the log after a position, without its timestamp. */
export async function lastWords(logFile: string, from = 0): Promise<string> {
  const text = await readFile(logFile).catch(() => Buffer.alloc(0));
  const lines = text.subarray(from).toString().split("\n");
  const complaint =
    lines.find((line) => /LOG: +(invalid|unrecognized|syntax error)/.test(line)) ??
    lines.findLast((line) => /(FATAL|PANIC|error):/i.test(line)) ??
    lines.findLast((line) => line.trim() !== "");
  return complaint?.replace(/^.*?(FATAL|PANIC|LOG): */, "").trim() ?? "";
}

/** Empties a log that has grown large; PostgreSQL appends, so it continues from the start of the file. */
export async function boundLog(logFile: string): Promise<void> {
  const found = await stat(logFile).catch(() => undefined);
  if (found && found.size > LARGEST_LOG) await truncate(logFile);
}

async function openLog(logFile: string, { uid, gid }: Account) {
  const found = await stat(logFile).catch(() => undefined);
  if (found && found.size > LARGEST_LOG_AT_START) await rename(logFile, `${logFile}.1`);
  const handle = await open(logFile, "a", 0o600);
  if (process.getuid?.() === 0) await chown(logFile, uid, gid);
  return { handle, size: (await handle.stat()).size };
}

/**
 * True when the process is a PostgreSQL server of the cluster. The system reuses process ids, soon so in containers, and a killed process
 * may remain as a zombie; neither counts.
 */
async function runsOn(pid: number, cluster: string): Promise<boolean> {
  try {
    const [there, here] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(cluster)]);
    return there.ino === here.ino && there.dev === here.dev;
  } catch {
    // Root without CAP_SYS_PTRACE, as in most containers, cannot read it.
    const words = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    return words.split("\0").includes(cluster);
  }
}

/**
 * Clears the locks of a server that is gone. PostgreSQL refuses to start while the process in its lock file exists, even if that is another
 * program by now. We replace the number instead of removing the file, whose other lines guard against backends of the killed server that
 * still write.
 */
async function clearStaleLocks(cluster: string, socketDirectory: string): Promise<void> {
  const lockFile = path.join(cluster, "postmaster.pid");
  const content = await readIfPresent(lockFile);
  if (content !== undefined) {
    if (/^\d+\n/.test(content)) await writeFile(lockFile, content.replace(/^\d+/, String(NO_PROCESS)));
    else await rm(lockFile, { force: true });
  }
  for (const name of [`.s.PGSQL.${PORT}`, `.s.PGSQL.${PORT}.lock`]) await rm(path.join(socketDirectory, name), { force: true });
}
