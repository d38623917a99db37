import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const ROOT = path.join(import.meta.dirname, "../..");
/** A ready gateway, with its port; a base domain other than localhost has the addresses of organisations after it. */
export const GATEWAY_READY = /Kantoor is ready on (?:http:\/\/localhost:|port )(\d+)/;
const READY = new RegExp(`${GATEWAY_READY.source}|Kantoor node \\S+ is ready`);

/** A ready process of the service or of a tool. */
export interface Spawned {
  pid: number;
  /** Port of its gateway, if it has one. */
  port: number | undefined;
  /** Milliseconds from its start until it was ready. */
  readyAfter: number;
  /** All its output so far. */
  output(): string;
  /** Stops it gracefully and waits. Returns its exit status, null if it had to be killed because it hung. */
  stop(): Promise<number | null>;
  /** `kill -9`; resolves once the process is gone. */
  kill(): Promise<void>;
}

/** Longest start and longest stop in milliseconds. They end what hangs: on a busy machine a start takes a minute. */
const LONGEST_START = 300_000;
const LONGEST_STOP = 180_000;

const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** The environment without settings of the service, so that the caller's settings do not leak in. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(SERVICE_|TRANSPORTER$|NODE_OPTIONS$)/.test(name));
  return Object.fromEntries(kept);
}

interface Launch {
  /** Settings added to that environment. */
  environment?: Record<string, string>;
  /** Options of Node.js. */
  flags?: string[];
  /** Matches its output once it is ready; the first group is its port. */
  ready?: RegExp;
  /** Milliseconds until then at most. */
  within?: number;
  cwd?: string;
  /** Runs it as another user; only root can. */
  user?: number;
}

/**
 * Starts a program and waits until it is ready.
 * @param command the program and its arguments
 * @throws Error with its output if it exits or takes too long
 */
export function launch(
  [file, ...args]: readonly [string, ...string[]],
  { environment = {}, ready = READY, within = LONGEST_START, cwd = ROOT, user }: Launch = {},
): Promise<Spawned> {
  const began = performance.now();
  const env = { ...cleanEnvironment(), ...environment };
  const as = user === undefined ? {} : { uid: user, gid: user };
  const child = spawn(file, args, { cwd, env, ...as, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let said = "";
  let onOutput = () => {};
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      onOutput();
    });
  const ended = new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", (status) => resolve(status));
  }).finally(() => running.delete(child));

  return new Promise((resolve, reject) => {
    const failed = (why: string) => {
      child.kill("SIGKILL");
      reject(new Error(`${path.basename(args.at(-1) ?? file)} ${why}:\n${said.trim()}`));
    };
    const timer = setTimeout(() => failed(`was not ready after ${within} ms`), within);
    void ended.then((status) => {
      clearTimeout(timer);
      failed(`ended with ${status}`);
    });
    onOutput = () => {
      const found = ready.exec(said);
      if (!found) return;
      onOutput = () => {};
      clearTimeout(timer);
      resolve({
        pid: child.pid as number,
        port: found[1] === undefined ? undefined : Number(found[1]),
        readyAfter: Math.round(performance.now() - began),
        output: () => said,
        async stop() {
          child.kill("SIGTERM");
          const killer = setTimeout(() => child.kill("SIGKILL"), LONGEST_STOP);
          const status = await ended;
          clearTimeout(killer);
          return status;
        },
        async kill() {
          child.kill("SIGKILL");
          await ended;
        },
      });
    };
  });
}

/** Timeouts of the service that must not fail tests on a busy machine; a test about them has settings of its own. */
const PATIENCE = { SERVICE_REQUEST_TIMEOUT_MS: "120000", SERVICE_PDF_TIMEOUT_MS: "120000" };

/** Starts the service like `npm start`. @param words its arguments, for instance `--actors api` */
export function launchService(environment: Record<string, string>, words: string[] = [], options: Launch = {}): Promise<Spawned> {
  const flags = ["--disable-warning=ExperimentalWarning", ...(options.flags ?? [])];
  return launch([process.execPath, ...flags, path.join(ROOT, "main.ts"), ...words], {
    ...options,
    environment: { ...PATIENCE, ...environment },
  });
}

/** The flags of Node.js with which `heapOf` can measure a process. */
export const MEASURABLE = ["--expose-gc", "--import", path.join(import.meta.dirname, "heap.mjs")];

/**
 * Measures a process that was started with `MEASURABLE` again and again until it is asked for the result.
 * @returns ends the measuring; gives the most KiB of objects and buffers that were in use at a time
 */
export function watchHeap(node: Spawned): () => Promise<number> {
  let isOver = false;
  const watching = (async () => {
    let most = 0;
    while (!isOver) {
      const began = performance.now();
      most = Math.max(most, await heapOf(node));
      // The process works on most of the time.
      await delay(Math.max(50, 4 * (performance.now() - began)));
    }
    return most;
  })();
  return () => {
    isOver = true;
    return watching;
  };
}

/** Collects the garbage of a process that was started with `MEASURABLE`. @returns KiB of objects and buffers in use @throws Error once it is gone */
export const heapOf = async (node: Spawned): Promise<number> => (await measured(node)).heap;

/**
 * Collects the garbage of a process that was started with `MEASURABLE`.
 * @returns KiB of objects and buffers in use, and the number of what it holds: sockets, timers and others by their kind in Node.js, and
 * listeners of the process
 * @throws Error once it is gone
 */
export async function measured({ pid, output }: Spawned): Promise<{ heap: number; held: Record<string, number> }> {
  const said = output().length;
  process.kill(pid, "SIGUSR2");
  for (;;) {
    const found = /HELD (\{.*\})\nHEAP (\d+)\n/.exec(output().slice(said));
    if (found) return { heap: Number(found[2]), held: JSON.parse(found[1] as string) };
    process.kill(pid, 0);
    await delay(10);
  }
}
