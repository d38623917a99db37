import { randomBytes } from "node:crypto";
import { appendFile, chown, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type pg from "pg";
import { type Account, runAs } from "./account.ts";
import { placeFile, readIfPresent } from "./files.ts";
import { PORT } from "./postmaster.ts";
import { StartRefused } from "./refused.ts";

/** Roles of the cluster: the superuser, the owner of the tables, and the role the service signs in with. */
export const ROLES = { superuser: "postgres", owner: "kantoor_owner", application: "kantoor_app" } as const;
export const DATABASE = "kantoor";
export type RoleName = (typeof ROLES)[keyof typeof ROLES];
export type Passwords = Record<RoleName, string>;

/** Change this when `provision` does more, so that it runs on existing clusters too. */
const PROVISIONED = "kantoor 1";

const SETTINGS = {
  listen_addresses: "",
  port: String(PORT),
  max_connections: "100",
  shared_buffers: "128MB",
  jit: "off",
  password_encryption: "scram-sha-256",
  timezone: "UTC",
  log_timezone: "UTC",
  // The service logs errors of statements itself; logged here, they would let callers fill the disk.
  log_min_messages: "log",
  log_checkpoints: "off",
};

/** For disposable data: a crash of the machine may lose all of it. */
const NOT_DURABLE = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
};

/**
 * The passwords of a cluster, created together with it.
 * @throws StartRefused when a cluster exists but its passwords are lost or unreadable
 */
export async function readPasswords(dataDir: string, clusterExists: boolean): Promise<Passwords> {
  const file = path.join(dataDir, "postgres-roles.json");
  let known: Partial<Passwords> = {};
  try {
    known = JSON.parse((await readIfPresent(file)) ?? "{}") as Partial<Passwords>;
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "no JSON";
    throw new StartRefused(`${file} cannot be read (${reason}): start as the user it belongs to, or restore it from a backup.`);
  }
  const missing = Object.values(ROLES).filter((role) => !known[role]);
  if (missing.length === 0) return known as Passwords;
  if (clusterExists)
    throw new StartRefused(
      `${file} has no password for ${missing.join(", ")}: restore it from a backup, or set SERVICE_DATA_DIR to a new directory to start empty.`,
    );
  const passwords = Object.fromEntries(
    Object.values(ROLES).map((role) => [role, randomBytes(24).toString("base64url")]),
  ) as Passwords;
  await placeFile(file, `${JSON.stringify(passwords, null, 2)}\n`);
  return passwords;
}

/** Creates a new cluster in a temporary directory next to its final one, and moves it there when complete. */
export async function initialise(
  initdb: string,
  cluster: string,
  account: Account,
  password: string,
  { durable, signal }: { durable: boolean; signal?: AbortSignal | undefined },
): Promise<void> {
  // When Node is killed, initdb keeps running for a moment, so a second attempt needs a new name.
  for (const name of await readdir(path.dirname(cluster)))
    if (name.startsWith(`${path.basename(cluster)}.new-`)) await removeAll(path.join(path.dirname(cluster), name));
  const temporary = `${cluster}.new-${randomBytes(4).toString("hex")}`;
  const passwordFile = `${temporary}.password`;
  try {
    await mkdir(temporary, { mode: 0o700 });
    await chown(temporary, account.uid, account.gid);
    await placeFile(passwordFile, password, account);
    const options = [
      "--username=postgres",
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--data-checksums",
    ];
    const locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
    const sync = durable ? [] : ["--no-sync"];
    const words = ["-D", temporary, ...options, ...locale, ...sync, "--no-instructions"];
    const { status, output, failure } = await runAs(account, initdb, words, signal);
    signal?.throwIfAborted();
    if (status !== 0) throw initdbFailed(failure ?? output, account);
    await writeFile(
      path.join(temporary, "pg_hba.conf"),
      "local all all scram-sha-256\nlocal replication postgres scram-sha-256\n",
    );
    await appendFile(path.join(temporary, "postgresql.conf"), "include 'kantoor.conf' # written at every start\n");
    await rename(temporary, cluster);
  } finally {
    await removeAll(passwordFile);
    await removeAll(temporary);
  }
}

/** Writes the settings of this release; an operator's own (`alter system`) are read later and win. */
export async function writeSettings(
  cluster: string,
  account: Account,
  socketDirectory: string,
  { durable, settings }: { durable: boolean; settings: Record<string, string> },
): Promise<void> {
  const all = { ...SETTINGS, unix_socket_directories: socketDirectory, ...(durable ? {} : NOT_DURABLE), ...settings };
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`);
  const file = path.join(cluster, "kantoor.conf");
  const content = `${lines.join("\n")}\n`;
  if ((await readIfPresent(file)) !== content) await placeFile(file, content, account);
}

/** True when the roles and the database are in the state that `provision` creates. */
export async function isProvisioned(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ mark: string | null }>(
    "select shobj_description(oid, 'pg_database') as mark from pg_database where datname = $1",
    [DATABASE],
  );
  return rows[0]?.mark === PROVISIONED;
}

/** Creates roles and database. It can run again after an interruption: the comment on the database comes last and marks completion. */
export async function provision(
  client: pg.Client,
  passwords: Passwords,
  connectTo: (database: string) => Promise<pg.Client>,
): Promise<void> {
  for (const role of [ROLES.owner, ROLES.application]) {
    const { rowCount } = await client.query("select from pg_roles where rolname = $1", [role]);
    await client.query(
      `${rowCount ? "alter" : "create"} role ${role} with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls ` +
        `password ${client.escapeLiteral(passwords[role])}`,
    );
  }
  const { rowCount } = await client.query("select from pg_database where datname = $1", [DATABASE]);
  if (!rowCount)
    await client.query(
      `create database ${DATABASE} owner ${ROLES.owner} template template0 encoding 'UTF8' ` +
        "locale 'C' locale_provider builtin builtin_locale 'C.UTF-8'",
    );
  await client.query(
    `revoke all on database ${DATABASE} from public;
     revoke all on database postgres from public;
     revoke all on database template1 from public;
     grant connect on database ${DATABASE} to ${ROLES.application};`,
  );
  const inside = await connectTo(DATABASE);
  try {
    await inside.query(`alter schema public owner to ${ROLES.owner}; revoke create on schema public from public;`);
  } finally {
    await inside.end();
  }
  await client.query(`comment on database ${DATABASE} is '${PROVISIONED}'`);
}

const removeAll = (file: string) => rm(file, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });

function initdbFailed(output: string, { uid }: Account): Error {
  if (/could not look up effective user ID/.test(output))
    return new StartRefused(
      `User ${uid} has no entry in /etc/passwd, which PostgreSQL's initdb needs: add one, start as another user, or set SERVICE_DATABASE_URL.`,
    );
  const reason = output.split("\n").findLast((line) => /error|fatal|could not/i.test(line)) ?? output.split("\n").at(-1);
  return new StartRefused(
    `PostgreSQL's database cannot be made (${reason}): fix that, or set SERVICE_DATABASE_URL to a server of your own.`,
  );
}
