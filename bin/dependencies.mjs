// Installs the locked dependencies when they are missing or stale. Runs on any Node from 18 on, before anything is installed.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { showProgress } from "./progress.mjs";

/** An end with one sentence for the reader and an exit status, without a stack. */
export class Failure extends Error {
  constructor(message, status = 1) {
    super(message);
    this.status = status;
  }
}

const LOCKFILE = "package-lock.json";
const INSTALLED = "node_modules/.package-lock.json";
const STAMP = "node_modules/.kantoor-installed";
/** Left out of the repository by .gitignore; it cannot be in node_modules, which npm empties. */
const INSTALL_LOCK = ".installing";
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function read(root, name) {
  try {
    return readFileSync(path.join(root, name), "utf8");
  } catch {
    return undefined;
  }
}

/**
 * Makes node_modules agree with package-lock.json; does nothing when it does. Two processes at the same moment install once.
 * @param {string} root the project's directory
 * @param {{development: boolean}} needs whether the packages of developers have to be there too
 */
export async function ensureDependencies(root, needs) {
  if (isFresh(root, needs)) return;
  const release = await takeLock(root, () => isFresh(root, needs));
  if (!release) return;
  try {
    process.stderr.write("Installing dependencies…\n");
    // An install that is cut short must not look complete afterwards.
    rmSync(path.join(root, STAMP), { force: true });
    rmSync(path.join(root, INSTALLED), { force: true });
    await install(root);
    // npm passes over optional packages it failed to fetch; without a stamp the next start tries again.
    isFresh(root, { development: true });
  } catch (error) {
    if (error.code === "EACCES" || error.code === "EROFS") throw notWritable(root);
    throw error;
  } finally {
    release();
  }
}

const notWritable = (root) =>
  new Failure(
    `The dependencies in ${path.join(root, "node_modules")} are missing or old and cannot be written by this user: run "npm ci --ignore-scripts" there as their owner.`,
  );

/** True when every package of the lockfile that belongs on this machine is installed in its locked version; a complete tree gets a stamp. */
function isFresh(root, { development }) {
  const wanted = read(root, LOCKFILE);
  const installed = read(root, INSTALLED);
  if (wanted === undefined || installed === undefined) return false;
  const stamp = stampOf(wanted, installed);
  if (read(root, STAMP) === stamp) return true;
  if (!agrees(JSON.parse(wanted).packages, JSON.parse(installed).packages, development)) return false;
  if (development) writeStamp(root, stamp);
  return true;
}

function agrees(wanted, installed, development) {
  for (const [name, { version, integrity }] of Object.entries(installed)) {
    const locked = wanted[name];
    if (locked?.version !== version || (integrity && locked.integrity && locked.integrity !== integrity)) return false;
  }
  return Object.entries(wanted).every(
    ([name, entry]) =>
      name === "" || name in installed || (entry.optional && !isForHere(entry)) || (!development && isOfDevelopers(entry)),
  );
}

const isOfDevelopers = ({ dev, devOptional }) => dev === true || devOptional === true;

/** Of the optional packages only those that name this platform have to be there; npm skips the others, or some of them. */
const isForHere = ({ os, cpu, libc }) =>
  [os].flat().includes(process.platform) && [cpu].flat().includes(process.arch) && libc === undefined;

const stampOf = (wanted, installed) =>
  `${createHash("sha256").update(wanted).update(installed).digest("hex")} ${process.platform}-${process.arch}\n`;

/** The folders of the packages that `npm ci` puts on this machine. */
const packagesForHere = (root) =>
  Object.entries(JSON.parse(read(root, LOCKFILE)).packages)
    .filter(([name, entry]) => name !== "" && (!entry.optional || isForHere(entry)))
    .map(([name]) => name);

/** The stamp only saves time, so a node_modules this user cannot write to goes without. */
function writeStamp(root, stamp) {
  try {
    writeFileSync(path.join(root, STAMP), stamp);
  } catch {
    // compared in full next time
  }
}

/** Runs `npm ci` to its end; what npm says appears only when it fails, and then without its page of options. */
function install(root) {
  const options = ["--ignore-scripts", "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--no-progress"];
  const words = ["ci", ...options, "--loglevel=error", "--no-update-notifier"];
  const { npm_execpath: cli, npm_node_execpath: node = process.execPath } = process.env;
  const [command, args] = /npm-cli\.js$/.test(cli ?? "") ? [node, [cli, ...words]] : ["npm", words];
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    // npm goes on when this process is killed, and nobody else may install before it has ended.
    if (child.pid) appendFileSync(path.join(root, INSTALL_LOCK), `\n${identityOf(child.pid)}`);
    const endProgress = showProgress(root, packagesForHere(root));
    let output = "";
    let interruptedBy;
    const interrupt = (signal) => {
      interruptedBy = signal;
      child.kill(signal);
    };
    for (const signal of SIGNALS) process.on(signal, interrupt);
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    child.once("error", (error) => {
      endProgress();
      reject(new Failure(`Cannot run npm (${error.message}). Install it; it comes with Node.`));
    });
    child.once("close", (code, signal) => {
      endProgress();
      for (const name of SIGNALS) process.off(name, interrupt);
      if (interruptedBy)
        reject(Object.assign(new Failure("Interrupted while installing dependencies."), { signal: interruptedBy }));
      else if (code === 0) resolve();
      else
        reject(
          new Failure(
            `Installing dependencies failed (npm ci: ${signal ?? code}).\n${output.trim().split("\n").slice(0, 20).join("\n")}`,
          ),
        );
    });
  });
}

/**
 * Waits until this process is the one that installs, and gives what lets go of that again; undefined when another has
 * finished the work meanwhile.
 */
async function takeLock(root, isDone) {
  const file = path.join(root, INSTALL_LOCK);
  let said = false;
  for (;;) {
    try {
      writeFileSync(file, identityOf(process.pid), { flag: "wx" });
      if (!isDone()) return () => rmSync(file, { force: true });
      rmSync(file, { force: true });
      return undefined;
    } catch (error) {
      if (error.code === "EACCES" || error.code === "EROFS") throw notWritable(root);
      if (error.code !== "EEXIST") throw error;
    }
    const holder = read(root, INSTALL_LOCK);
    if (holder !== undefined && isAbandoned(file, holder)) breakLock(root, file, holder);
    else {
      if (!said) process.stderr.write("Waiting for another process that installs dependencies…\n");
      said = true;
      await pause(100);
    }
  }
}

/** Process ids are used again, soon so in containers; with the moment of its start a process is told from its successor. */
function identityOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : `${pid} ${fields[19]}`;
  } catch {
    return process.platform === "linux" || !isRunning(Number(pid)) ? undefined : `${pid} -`;
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

function isAbandoned(file, holder) {
  // The holder makes the file and writes to it in two steps.
  if (holder === "") return ageOf(file) > 5000;
  return holder.split("\n").every((identity) => identityOf(identity.split(" ")[0]) !== identity);
}

/** Two processes that find the same abandoned lock must not both remove it: the second would remove the first one's new lock. */
function breakLock(root, file, holder) {
  const breaking = `${file}.break`;
  try {
    mkdirSync(breaking);
  } catch {
    if (ageOf(breaking) > 10_000) rmSync(breaking, { recursive: true, force: true });
    return;
  }
  if (read(root, INSTALL_LOCK) === holder) rmSync(file, { force: true });
  rmSync(breaking, { recursive: true, force: true });
}

function ageOf(file) {
  try {
    return Date.now() - statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}
