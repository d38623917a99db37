import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { isEmbedded } from "../config/config.ts";
import { runtime } from "../config/runtime.ts";
import { connect } from "../database/connection/database.ts";
import { freeBytes } from "../files/free-bytes.ts";
import { makeFolder } from "../files/make-folder.ts";
import { stores } from "../files/storage.ts";
import { forgetFullDisk, hasMetFullDisk, isFullDisk } from "../values/full-disk.ts";

/** Free bytes PostgreSQL needs to continue: it extends its WAL in files of this size and stops if it cannot. */
const LEAST_FREE = 16 * 1024 ** 2;
/** The size of a trial write, in bytes. */
const TRIAL = 1024 ** 2;

/** A sort that exceeds work_mem: PostgreSQL writes a megabyte to its disk and removes it, without a table or any right to one. */
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

async function look(): Promise<boolean> {
  const { config } = runtime();
  const free = isEmbedded(config) ? await freeBytes(config.dataDir) : null;
  if (free !== null && free < LEAST_FREE) return false;
  if (!hasMetFullDisk()) return true;
  const hasRoom = (await databaseHasRoom()) && (await filesHaveRoom());
  if (hasRoom) forgetFullDisk();
  return hasRoom;
}

let looking: Promise<boolean> | undefined;

/**
 * Whether the disks of database and files accept writes. After a write has failed on a full disk, trial writes run here until there is
 * room, because a node out of rotation gets no real ones. Concurrent callers share one check.
 */
export function diskHasRoom(): Promise<boolean> {
  looking ??= look().finally(() => (looking = undefined));
  return looking;
}
