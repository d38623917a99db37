import { randomUUID } from "node:crypto";
import { rm, statfs, writeFile } from "node:fs/promises";
import path from "node:path";
import { isEmbedded } from "../../../core/config/config.ts";
import { runtime } from "../../../core/config/runtime.ts";
import { connect } from "../../../core/database/connection/database.ts";
import { makeFolder } from "../../../core/files/make-folder.ts";
import { stores } from "../../../core/files/storage.ts";
import { forgetFullDisk, hasMetFullDisk, isFullDisk } from "../../../core/values/full-disk.ts";

/** What PostgreSQL must find free to go on: it adds to its log in files of this size, and stops where it cannot. */
const LEAST_FREE = 16 * 1024 ** 2;
/** What a trial writes, in bytes. */
const TRIAL = 1024 ** 2;

/** A sort that does not fit into memory: PostgreSQL writes a megabyte to its disk and removes it, without a table or a right to one. */
const SPILL = "select count(distinct md5(n::text)) from generate_series(1, 25000) n";

async function databaseHasRoom(): Promise<boolean> {
  const client = await connect();
  try {
    await client.query("begin read only");
    await client.query("set local work_mem = '64kB'");
    await client.query(SPILL);
    return true;
  } catch (error) {
    if (isFullDisk(error)) return false;
    throw error;
  } finally {
    await client.query("rollback").catch(() => {});
    client.release();
  }
}

async function filesHaveRoom(): Promise<boolean> {
  const { spoolFolder } = stores();
  const file = path.join(spoolFolder, `${randomUUID()}.trial`);
  try {
    await makeFolder(spoolFolder, 0o700);
    await writeFile(file, Buffer.alloc(TRIAL), { flush: true });
    return true;
  } catch (error) {
    return !isFullDisk(error);
  } finally {
    await rm(file, { force: true }).catch(() => {});
  }
}

/** Free bytes beside an embedded database; null where the database is elsewhere, and where the file system does not tell. */
async function freeBytes(): Promise<number | null> {
  const { config } = runtime();
  if (!isEmbedded(config)) return null;
  const found = await statfs(config.dataDir).catch(() => null);
  return found && found.bavail * found.bsize;
}

async function look(): Promise<boolean> {
  const free = await freeBytes();
  if (free !== null && free < LEAST_FREE) return false;
  if (!hasMetFullDisk()) return true;
  const hasRoom = (await databaseHasRoom()) && (await filesHaveRoom());
  if (hasRoom) forgetFullDisk();
  return hasRoom;
}

let looking: Promise<boolean> | undefined;

/**
 * Whether the disks under database and files take what is written. Once a write has failed for that, the next ones are tried out here
 * until there is room: a node that is out of rotation gets no writes by which it could tell. Callers at one moment share one look.
 */
export function diskHasRoom(): Promise<boolean> {
  looking ??= look().finally(() => (looking = undefined));
  return looking;
}
