import { chmod, mkdir, mkdtemp, statfs } from "node:fs/promises";
import { freemem, tmpdir } from "node:os";
import path from "node:path";

const GIB = 2 ** 30;
/** Linux keeps files here in memory. */
const MEMORY = "/dev/shm";
/** Most space a run uses there at a time (measured: 4.2 GiB), with a margin. */
const MOST = 6 * GIB;
/** Memory for the run's processes. */
const BESIDE = 4 * GIB;

/**
 * The folder for a run's temporary files. It is in memory if there is enough: cloning a database of a thousand small files there takes a
 * tenth of the time of a disk. `TMPDIR` overrides it.
 */
async function parent(): Promise<string> {
  if (process.env["TMPDIR"] !== undefined || freemem() < MOST + BESIDE) return tmpdir();
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize < MOST ? tmpdir() : MEMORY;
}

/** Creates a folder for a run's temporary files. Other accounts, such as PostgreSQL's, can traverse it and use `temporary`. */
export async function scratch(): Promise<{ folder: string; database: string; temporary: string }> {
  const folder = await mkdtemp(path.join(await parent(), "kantoor-test-"));
  await chmod(folder, 0o711);
  const [database, temporary] = [path.join(folder, "database"), path.join(folder, "tmp")];
  await mkdir(temporary);
  await chmod(temporary, 0o1777);
  return { folder, database, temporary };
}
