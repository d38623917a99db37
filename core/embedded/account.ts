import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { StartRefused } from "./refused.ts";

/** The operating-system user PostgreSQL runs as; never root, which PostgreSQL refuses. */
export interface Account {
  uid: number;
  gid: number;
}

/** The result of a program run as an account; `failure` is set if it could not be started at all. */
export interface Outcome {
  status: number;
  output: string;
  failure?: string;
}

/** True when this process may become another user. */
export const isRoot = (): boolean => process.getuid?.() === 0;

/** Environment of every PostgreSQL program: none of our variables, because that other user can read it in /proc. */
export const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" };

/** Runs a program as the account and returns its exit status, with stdout and stderr as one text; `signal` ends it early. */
export function runAs(account: Account, file: string, args: string[], signal?: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(file, args, { ...account, cwd: "/", env: environment, signal }, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`.trim();
      if (!error) resolve({ status: 0, output });
      else if (typeof error.code === "string") resolve({ status: -1, output, failure: error.code });
      else resolve({ status: error.code ?? -1, output });
    });
  });
}

/** True when the account can enter the directory, list it and write to it. */
export async function canUse(account: Account, directory: string): Promise<boolean> {
  const { status } = await runAs(account, "/bin/sh", ["-c", 'cd "$1" && test -r . && test -w .', "sh", directory]);
  return status === 0;
}

/**
 * Chooses the owner of a new cluster: the user of this process or, for root, the owner of the data directory, `nobody`, or the first other
 * account this process may switch to.
 * @throws StartRefused when no account is suitable
 */
export async function chooseAccount(dataDir: string): Promise<Account> {
  const accounts = await knownAccounts();
  const [uid, gid] = [process.getuid?.() ?? -1, process.getgid?.() ?? -1];
  if (uid !== 0) {
    return { uid, gid };
  }
  const owner = (await stat(dataDir)).uid;
  const rank = (account: Account) => (account.uid === owner ? 0 : account.uid === 65534 ? 1 : 2);
  for (const account of accounts.filter((known) => known.uid !== 0).sort((a, b) => rank(a) - rank(b))) {
    if (await canUse(account, "/tmp")) return account;
  }
  throw new StartRefused(
    "PostgreSQL does not run as root, and this process cannot switch to another user: start it as an ordinary user, or set SERVICE_DATABASE_URL.",
  );
}

/** Accounts of the machine. initdb fails for a user without an entry here, so only these can own a new cluster. */
async function knownAccounts(): Promise<Account[]> {
  const entries = await readFile("/etc/passwd", "utf8").catch(() => "");
  return entries
    .split("\n")
    .map((line) => line.split(":"))
    .filter((fields) => fields.length > 3)
    .map((fields) => ({ uid: Number(fields[2]), gid: Number(fields[3]) }));
}
