import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { access, chmod, chown, constants, lstat, mkdir, mkdtemp, readdir, rename, rmdir, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeFolder } from "../files/make-folder.ts";
import { type Account, canUse, chooseAccount, isRoot } from "./account.ts";
import { placeFile, readIfPresent, stateDirectory } from "./files.ts";
import { askToStop, livePostmaster } from "./postmaster.ts";
import { StartRefused } from "./refused.ts";

/** The location of a data directory's cluster, its owner, and whether it is initialised. */
export interface Placement {
  cluster: string;
  account: Account;
  exists: boolean;
  /** The file that records the cluster's location if it is outside the data directory. */
  pointer?: string;
}

/** A socket path can have 107 bytes; this subtracts `.s.PGSQL.5432.lock` and a margin. */
const LONGEST_SOCKET_DIRECTORY = 88;

/** Creates the data directory, private to its owner. */
export async function makeDataDirectory(dataDir: string): Promise<void> {
  try {
    if (await makeFolder(dataDir)) await chmod(dataDir, 0o700);
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable(dataDir, dataDir, error as NodeJS.ErrnoException);
  }
}

const DENIED = ["EACCES", "EPERM"];
/** Error codes of directories and files that only the operator can resolve. */
const OF_THE_PLACE = [...DENIED, "EROFS", "ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "ENOSPC", "EDQUOT", "EIO"];

/** The error for a data directory, or a file in it, that the system does not let this process use. */
function unusable(dataDir: string, place: string, { code = "" }: NodeJS.ErrnoException): StartRefused {
  const what = place === dataDir ? `The data directory ${dataDir}` : `${place} in the data directory`;
  return new StartRefused(
    DENIED.includes(code)
      ? `${what} cannot be used by this user (${code}): start as its owner, or set SERVICE_DATA_DIR to another directory.`
      : `${what} cannot be made or used (${code}): fix that, or set SERVICE_DATA_DIR to another directory.`,
  );
}

/** Converts a system error about the data directory to its `StartRefused`; returns any other error unchanged. */
export function refusedPlace(dataDir: string, error: unknown): unknown {
  const { code, path: place } = error as NodeJS.ErrnoException;
  const isInside = place !== undefined && !path.relative(dataDir, place).startsWith("..");
  return isInside && OF_THE_PLACE.includes(code ?? "") ? unusable(dataDir, place, error as NodeJS.ErrnoException) : error;
}

/** Whether the data directory contains a database or points to one elsewhere. */
export const hasCluster = (dataDir: string): boolean =>
  ["postgres", "postgres-location"].some((name) => existsSync(path.join(dataDir, name)));

/**
 * Finds the cluster of the data directory or decides where to create one: in its `postgres` directory or, if PostgreSQL's account cannot
 * reach that, in the system's state directory.
 * @throws StartRefused when there is data this process cannot use
 */
export async function placeCluster(dataDir: string, log: (line: string) => void): Promise<Placement> {
  const pointer = path.join(dataDir, "postgres-location");
  const elsewhere = (await readIfPresent(pointer))?.trim();
  const cluster = elsewhere ?? path.join(dataDir, "postgres");
  if (await isInitialised(cluster)) return { cluster, account: await ownerOf(cluster, dataDir), exists: true };
  if (elsewhere)
    throw new StartRefused(
      `The database that ${pointer} names, ${elsewhere}, is gone: restore it from a backup, or remove ${pointer} to start with an empty one.`,
    );
  const account = await chooseAccount(dataDir);
  if (await letThrough(account, dataDir, () => canHold(cluster, account))) return { cluster, account, exists: false };
  const name = createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
  const outside = path.join(await stateDirectory(), name);
  await setAside(outside, log);
  log(`PostgreSQL does not run as root, and no other user can enter ${dataDir}: the database goes to ${outside}.`);
  return { cluster: outside, account, exists: false, pointer };
}

/** Records the cluster's location, once it is complete. */
export async function recordPlacement({ cluster, pointer }: Placement): Promise<void> {
  if (pointer) await placeFile(pointer, `${cluster}\n`);
}

/** Rejects the data of another PostgreSQL major version, which this one cannot read. */
export async function checkVersion(cluster: string, major: string): Promise<void> {
  const found = (await readIfPresent(path.join(cluster, "PG_VERSION")))?.trim();
  if (found === major) return;
  throw new StartRefused(
    `PostgreSQL ${found} created the database in ${cluster}, and this release runs ${major}: load a dump of it into a new data ` +
      `directory (SERVICE_DATA_DIR), or set SERVICE_DATABASE_URL to a PostgreSQL ${found} server with it.`,
  );
}

/** The directory of the socket: the cluster's own, or a short private one if that path is too long or has special characters. */
export async function socketDirectoryOf(cluster: string, account: Account): Promise<string> {
  if (/^[\w./-]+$/.test(cluster) && cluster.length <= LONGEST_SOCKET_DIRECTORY) return cluster;
  const name = `kantoor-${createHash("sha256").update(cluster).digest("hex").slice(0, 12)}`;
  for (const parent of new Set([tmpdir(), "/tmp", "/run"])) {
    const directory = path.join(parent, name);
    if (!/^[\w./-]+$/.test(directory) || directory.length > LONGEST_SOCKET_DIRECTORY) continue;
    const made = await makePrivate(directory, account).catch(() => undefined);
    if (made && (await canUse(account, made))) return made;
  }
  throw new StartRefused(
    `The path of ${cluster} is too long for the socket of the database: set SERVICE_DATA_DIR to a shorter path.`,
  );
}

/** Removes the socket's directory after PostgreSQL has ended, unless it is the cluster's own. */
export async function removeSocketDirectory(directory: string, cluster: string): Promise<void> {
  if (directory !== cluster) await rmdir(directory).catch(() => undefined);
}

/** Creates a directory of mode 0700 for the account. If another user's exists, it leaves that alone and creates one next to it. */
async function makePrivate(directory: string, { uid, gid }: Account): Promise<string> {
  let made = directory;
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch {
    const found = await lstat(directory);
    if (found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0) return directory;
    made = await mkdtemp(`${directory}-`);
  }
  await chown(made, uid, gid);
  return made;
}

async function isInitialised(cluster: string): Promise<boolean> {
  try {
    return (await readIfPresent(path.join(cluster, "PG_VERSION"))) !== undefined;
  } catch {
    throw belongsToAnother(cluster);
  }
}

async function ownerOf(cluster: string, dataDir: string): Promise<Account> {
  const { uid, gid } = await stat(cluster);
  if (!isRoot()) {
    if (uid !== process.getuid?.()) throw belongsToAnother(cluster);
    return { uid, gid };
  }
  // A backup restored by root belongs to root.
  const account = uid === 0 ? await chooseAccount(path.dirname(cluster)) : { uid, gid };
  if (uid === 0) await giveAll(cluster, account);
  if (!(await letThrough(account, dataDir, () => canUse(account, cluster))))
    throw new StartRefused(
      `User ${account.uid}, who owns the database in ${cluster}, cannot enter that directory: set mode o+x on every parent directory, ` +
        "or move the data directory to one that users can enter.",
    );
  return account;
}

const belongsToAnother = (cluster: string) =>
  new StartRefused(
    `The database in ${cluster} belongs to another user: start as that user or as root, or set SERVICE_DATA_DIR to a directory of your own.`,
  );

/**
 * Tries an operation as the account. If it fails and the data directory is private to root, grants the account's group passage through it,
 * and nothing more, and tries again.
 */
async function letThrough(account: Account, dataDir: string, works: () => Promise<boolean>): Promise<boolean> {
  if (await works()) return true;
  const { uid, gid, mode } = await stat(dataDir);
  if (!isRoot() || uid !== 0 || mode & 0o077) return false;
  await chown(dataDir, uid, account.gid);
  await chmod(dataDir, 0o710);
  if (await works()) return true;
  await chown(dataDir, uid, gid);
  await chmod(dataDir, mode & 0o777);
  return false;
}

async function giveAll(directory: string, { uid, gid }: Account): Promise<void> {
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isSymbolicLink()) await chown(file, uid, gid);
  }
  await chown(directory, uid, gid);
  await chmod(directory, 0o700);
}

/** Creates the empty directory of a new cluster; returns false when the account cannot reach it. */
async function canHold(cluster: string, { uid, gid }: Account): Promise<boolean> {
  await makeFolder(cluster, 0o700);
  if ((await readdir(cluster)).length > 0)
    throw new StartRefused(
      `${cluster} contains files but no database: move them away, or set SERVICE_DATA_DIR to another directory.`,
    );
  await chown(cluster, uid, gid);
  if (await canUse({ uid, gid }, cluster)) return true;
  await rmdir(cluster);
  return false;
}

/** Moves away a cluster in the state directory whose data directory, with its passwords, was removed. */
async function setAside(cluster: string, log: (line: string) => void): Promise<void> {
  const left = await stat(cluster).catch(() => undefined);
  if (!left) return;
  const live = await livePostmaster(cluster);
  if (live) await askToStop(live, cluster);
  const aside = `${cluster}.${new Date().toISOString().replaceAll(":", "")}`;
  await rename(cluster, aside);
  log(`A database of an earlier data directory of the same name was moved to ${aside}.`);
}
