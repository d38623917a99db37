#!/usr/bin/env node
// The one door to every command: makes sure the locked dependencies are there, then hands over to the Node version among them.
// Runs on any Node from 18 on, and before anything is installed; therefore plain JavaScript without imports of packages.
import { spawn } from "node:child_process";
import { existsSync, unlinkSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isBundled } from "./bundle-digest.mjs";
import { ensureDependencies, Failure } from "./dependencies.mjs";

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const BIN = path.join(ROOT, "node_modules", ".bin");
const NEEDED_NODE = 24;
const BIOME = `node_modules/@biomejs/cli-linux-${process.arch}/biome`;

/** What each command runs; the caller's arguments follow the last. Linting needs no wrapper where its own program is there. */
const COMMANDS = {
  start: () => [["main.ts"]],
  node: () => [["main.ts", "--actors"]],
  cli: () => [["cli/main.ts"]],
  repl: () => [["cli/repl.ts"]],
  top: () => [["cli/main.ts", "top"]],
  test: () => [["test/run.ts"]],
  "test-seen": () => [["test/seen.ts"]],
  bench: () => [["bench/run.ts"]],
  growth: () => [["bench/growth.ts"]],
  crash: () => [["test/crash/run.ts"]],
  mutation: () => [["test/mutation/run.ts"]],
  bundle: () => [["bin/bundle.mjs"]],
  sdk: () => [["sdk/generate/run.ts"]],
  schema: () => [["migrations/schema/run.ts"]],
  new: () => [["bin/new/run.ts"]],
  check: () => [
    ["node_modules/typescript/bin/tsc", "--noEmit", "--project", ROOT],
    ["migrations/schema/run.ts", "check"],
    [[BIOME, "node_modules/@biomejs/biome/bin/biome"].find((file) => existsSync(path.join(ROOT, file))), "check", ROOT],
  ],
};
/**
 * Options of Node by command. An import of a hundred thousand rows needs little at a time; by itself Node lets what is free again pile up
 * to three times that before it looks.
 */
const NODE_OPTIONS = { cli: ["--max-semi-space-size=16", "--max-old-space-size=1024"] };
/** Commands that load what the bundle has, where there is one of the sources that are here. */
const BUNDLED = ["start", "node"];
const BUNDLE_OPTIONS = [`--import=${pathToFileURL(path.join(ROOT, "bin", "bundled.mjs"))}`];
const OF_DEVELOPERS = ["test", "test-seen", "bench", "growth", "crash", "mutation", "bundle", "sdk", "schema", "new", "check"];

/** True for Linux on x64 or arm64 with glibc, which the pinned Node is built for. */
function isPinnedPlatform() {
  if (process.platform !== "linux" || !["x64", "arm64"].includes(process.arch)) return false;
  process.report.excludeNetwork = true;
  const report = process.report.getReport();
  const { header } = typeof report === "string" ? JSON.parse(report) : report;
  return header.glibcVersionRuntime !== undefined;
}

/** The Node to run with: the pinned one, or this one where that is new enough. */
function findNode() {
  const pinned = path.join(ROOT, "node_modules", `node-linux-${process.arch}`, "bin", "node");
  if (process.execPath === pinned) return pinned;
  const isPinned = isPinnedPlatform();
  if (isPinned && existsSync(pinned)) return pinned;
  if (!isPinned && existsSync(path.join(BIN, "node"))) {
    // npm puts this link in front of the machine's own node, and here it cannot run.
    try {
      unlinkSync(path.join(BIN, "node"));
    } catch {
      // not ours to remove
    }
  }
  if (Number(process.versions.node.split(".")[0]) >= NEEDED_NODE) return process.execPath;
  if (isPinned)
    throw new Failure(
      `${pinned} is missing although npm installed: remove node_modules and start again with a network connection.`,
    );
  throw new Failure(
    `Kantoor brings its own Node only for Linux x64 and arm64 with glibc: on this machine (${process.platform} ${process.arch}) ` +
      `install Node ${NEEDED_NODE} or newer, and set SERVICE_DATABASE_URL to a PostgreSQL 18 server.`,
  );
}

/** Runs a program in a process of its own, passes signals on to it and gives its exit status. */
function runChild(file, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: "inherit", env });
    const forward = (signal) => {
      // A terminal sends its Ctrl-C to the child as well; passed on, it would arrive twice.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    };
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, forward);
    child.once("error", (error) => reject(new Failure(`${file} cannot be run: ${error.message}`)));
    child.once("exit", (code, signal) => {
      for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.off(name, forward);
      resolve({ code, signal });
    });
  });
}

async function main([command, ...args]) {
  if (!Object.hasOwn(COMMANDS, command ?? ""))
    throw new Failure(`Usage: run.mjs <${Object.keys(COMMANDS).join("|")}> [arguments]`, 2);
  await ensureDependencies(ROOT, { development: OF_DEVELOPERS.includes(command) });
  const node = findNode();
  // Node keeps what it compiled next to the packages, which saves a fifth of every start but the first.
  const cache = process.env.NODE_COMPILE_CACHE ?? path.join(ROOT, "node_modules", ".cache", "compiled");
  const env = { ...process.env, PATH: `${BIN}${path.delimiter}${process.env.PATH ?? ""}`, NODE_COMPILE_CACHE: cache };
  const options = [...(NODE_OPTIONS[command] ?? []), ...(BUNDLED.includes(command) && isBundled(ROOT) ? BUNDLE_OPTIONS : [])];
  const runs = COMMANDS[command]().map(([entry, ...given]) =>
    entry === BIOME
      ? [path.join(ROOT, entry), given]
      : [node, ["--disable-warning=ExperimentalWarning", ...options, path.join(ROOT, entry), ...given]],
  );
  runs.at(-1)[1].push(...args);
  if (runs.length === 1 && typeof process.execve === "function") process.execve(node, [node, ...runs[0][1]], env);
  let status = 0;
  for (const [file, words] of runs) {
    const { code, signal } = await runChild(file, words, env);
    if (signal) return process.kill(process.pid, signal);
    status ||= code;
  }
  process.exitCode = status;
}

main(process.argv.slice(2)).catch((error) => {
  if (error.signal) return process.kill(process.pid, error.signal);
  process.stderr.write(`${error instanceof Failure ? error.message : error.stack}\n`);
  process.exitCode = error.status ?? 1;
});
