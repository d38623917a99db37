import { chmod, mkdir, mkdtemp, statfs } from "node:fs/promises";
import { freemem, tmpdir } from "node:os";
import path from "node:path";

const GIB = 2 ** 30;
/** Linux keeps what is written there in memory. */
const MEMORY = "/dev/shm";
/** What a run has there at most at a time (measured: 4.2 GiB), with room to spare. */
const MOST = 6 * GIB;
/** What its processes take beside. */
const BESIDE = 4 * GIB;

/**
 * Where a run may put what is gone when it ends: in memory where there is plenty, for a database of a thousand small files is cloned there
 * in a tenth of the time that a disk's file system takes. `TMPDIR` says otherwise.
 */
async function parent(): Promise<string> {
  if (process.env["TMPDIR"] !== undefined || freemem() < MOST + BESIDE) return tmpdir();
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize < MOST ? tmpdir() : MEMORY;
}

/** Makes a folder for everything that a run leaves while it runs. Other accounts, as PostgreSQL's own, may pass through it and use `temporary`. */
export async function scratch(): Promise<{ folder: string; database: string; temporary: string }> {
  const folder = await mkdtemp(path.join(await parent(), "kantoor-test-"));
  await chmod(folder, 0o711);
  const [database, temporary] = [path.join(folder, "database"), path.join(folder, "tmp")];
  await mkdir(temporary);
  await chmod(temporary, 0o1777);
  return { folder, database, temporary };
}
