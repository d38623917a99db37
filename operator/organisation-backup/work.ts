import { rm } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { runtime } from "../../core/config/runtime.ts";
import { databaseUrl } from "../../core/database/connection/database.ts";
import { newId } from "../../core/database/model.ts";
import { type SealLocation, seal, unseal } from "../../core/database/sealed.ts";
import { makeFolder } from "../../core/files/make-folder.ts";
import { spool } from "../../core/files/staged-uploads.ts";
import { openStored, stores } from "../../core/files/storage.ts";
import { recordAct } from "../instance/audit.ts";
import { OperatorError } from "../organisations.ts";
import { removeBytes } from "../purge.ts";
import { newContentKey, writeArchive } from "./archive.ts";
import { planRestore } from "./plan.ts";
import { BACKUPS, deleteBackup, type OrganisationBackup, type OrganisationRestore, storedBackup } from "./records.ts";
import { restoreContents, restoreRows } from "./restore.ts";
import { type Progress, readOrganisation } from "./snapshot.ts";

const keyLocation = (backup: string): SealLocation => ({
  table: "organisation_backups",
  column: "content_key",
  organisation: null,
  row: backup,
});

type Kind = "organisation_backups" | "organisation_restores";

/** Connects as the owner of the tables, for the length of one piece of work. */
async function withOwner<T>(ownerUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: ownerUrl,
    application_name: "kantoor backups",
    options: "-c lock_timeout=10000",
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const sentenceOf = (error: unknown): string =>
  error instanceof OperatorError ? error.message : "It failed for an unexpected reason; the log of the node has it.";

/**
 * Does one piece of work in one process alone: its advisory lock ends with the connection, so that another node starts it again if this one
 * dies. An error is stored with it.
 * @returns whether it was done here
 * @throws what is not a refusal, once it is stored
 */
async function claimed(
  ownerUrl: string,
  kind: Kind,
  id: string,
  work: (client: pg.Client, progress: Progress) => Promise<void>,
): Promise<boolean> {
  return withOwner(ownerUrl, async (client) => {
    const { rows } = await client.query<{ mine: boolean }>("select pg_try_advisory_lock(hashtextextended($1, 7315046)) as mine", [
      id,
    ]);
    if (!rows[0]?.mine) return false;
    const begun = await client.query(
      `update ${kind} set state = 'running', error = null, done = 0 where id = $1 and state in ('waiting', 'running')`,
      [id],
    );
    if (begun.rowCount === 0) return false;
    const progress: Progress = async (step, done, total) => {
      await client.query(`update ${kind} set step = $2, done = $3, total = $4 where id = $1`, [id, step, done, total]);
    };
    try {
      await work(client, progress);
    } catch (error) {
      await client.query("rollback").catch(() => undefined);
      const expiry = kind === "organisation_backups" ? ", expires_at = now() + make_interval(days => $3)" : ", step = $3::text";
      const last = kind === "organisation_backups" ? runtime().config.organisationBackupDays : null;
      await client.query(
        `update ${kind} set state = 'failed', error = $2, finished_at = now()${expiry} where id = $1 and state = 'running'`,
        [id, sentenceOf(error), last],
      );
      if (!(error instanceof OperatorError)) throw error;
    }
    return true;
  });
}

/** Makes a requested backup: reads the organisation, encrypts it and stores it. Does nothing if another process does. */
export const makeBackup = (ownerUrl: string, { id, organisation_id: organisation }: OrganisationBackup): Promise<boolean> =>
  claimed(ownerUrl, "organisation_backups", id, async (client, progress) => {
    const { spoolFolder, writing } = stores();
    await makeFolder(spoolFolder, 0o700);
    const key = newContentKey();
    const sealedKey = seal(key, keyLocation(id));
    const file = path.join(spoolFolder, newId());
    try {
      const made = await readOrganisation(databaseUrl(), organisation, progress, async (content, head, counts) => {
        const bytes = await writeArchive(file, { key, label: { backup: id, key: sealedKey } }, content);
        return { bytes, head, counts };
      });
      await progress("storing", 0, null);
      await writing.put(BACKUPS, id, file);
      const { bytes, head, counts } = made;
      await client.query(
        `update organisation_backups set state = 'ready', step = null, done = 0, total = null, version = $2, taken_at = $3, tables = $4, rows = $5,
           files = $6, files_missing = $7, bytes = $8, backend = $9, content_key = $10, finished_at = now(),
           expires_at = now() + make_interval(days => $11) where id = $1`,
        [
          id,
          head.version,
          head.taken_at,
          counts.tables,
          counts.rows,
          counts.files,
          counts.files_missing,
          bytes,
          writing.backend,
          sealedKey,
          runtime().config.organisationBackupDays,
        ],
      );
    } finally {
      await rm(file, { force: true });
    }
  });

/** Does a requested restore, all of it or nothing. Does nothing if another process does. */
export const makeRestore = (ownerUrl: string, restore: OrganisationRestore): Promise<boolean> =>
  claimed(ownerUrl, "organisation_restores", restore.id, async (client, progress) => {
    const { id, backup_id: backup, slug, name, requested_by: actor } = restore;
    const { backend, contentKey } = await storedBackup(client, backup);
    const key = unseal(contentKey, keyLocation(backup));
    if (key === null)
      throw new OperatorError(
        "The key of the backup does not open: set SERVICE_SECRET and SERVICE_ENCRYPTION_OTHER_KEYS to those it was made with.",
      );
    await progress("reading", 0, null);
    const { bytes } = await openStored({ organisationId: BACKUPS, id: backup, backend });
    const { file } = await spool(bytes);
    try {
      const target = { slug, name, seed: id };
      const plan = await planRestore(client, { file, key }, target);
      try {
        const files = await restoreContents({ file, key }, plan, progress);
        await withOwner(ownerUrl, async (writer) => {
          await writer.query("begin");
          const { id: organisation, rows, accounts } = await restoreRows(writer, { file, key }, plan, target, progress);
          await writer.query(
            `update organisation_restores set state = 'done', step = null, done = 0, total = null, organisation = $2, rows = $3, files = $4,
               accounts = $5, finished_at = now() where id = $1`,
            [id, organisation, rows, files, accounts],
          );
          const detail = { backup, restore: id, rows, files, accounts };
          await recordAct(writer, "organisation.restored", null, null, {
            organisation: { id: organisation, slug },
            actor,
            detail,
          });
          await writer.query("commit");
        });
      } catch (error) {
        const { rowCount } = await client.query("select from organisations where id = $1", [plan.organisationId]);
        if (rowCount === 0) await removeBytes(plan.organisationId);
        throw error;
      }
    } finally {
      await rm(file, { force: true });
    }
  });

/** Removes the bytes of a deleted backup. Safe to repeat. */
export async function removeBackupBytes(id: string): Promise<void> {
  await Promise.all(stores().all.map((store) => store.remove(BACKUPS, id)));
}

/** Deletes a backup and its bytes. @returns false if another process is at it */
async function expire(client: pg.Client, id: string): Promise<boolean> {
  await client.query("begin");
  try {
    await deleteBackup(client, id);
    await removeBackupBytes(id);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    if (error instanceof OperatorError) return false;
    throw error;
  }
  return true;
}

/** What a look at the requested work has done. */
export interface Worked {
  backups: number;
  restores: number;
  expired: number;
}

/**
 * Makes the requested backups and restores, one after another, and deletes the backups whose time is over.
 * @param signal no further one begins once it is aborted
 */
export async function workOff(ownerUrl: string, signal?: AbortSignal): Promise<Worked> {
  const worked: Worked = { backups: 0, restores: 0, expired: 0 };
  const open = await withOwner(ownerUrl, async (client) => {
    const wanted = (kind: Kind, columns: string) =>
      client.query(`select ${columns} from ${kind} where state in ('waiting', 'running') order by id`).then(({ rows }) => rows);
    const { rows: over } = await client.query<{ id: string }>(
      "select id from organisation_backups where expires_at <= now() order by expires_at limit 100",
    );
    for (const { id } of over) if (await expire(client, id)) worked.expired += 1;
    return {
      backups: (await wanted("organisation_backups", "id, organisation as organisation_id")) as OrganisationBackup[],
      restores: (await wanted("organisation_restores", "id, backup_id, slug, name, requested_by")) as OrganisationRestore[],
    };
  });
  for (const backup of open.backups) if (!signal?.aborted && (await makeBackup(ownerUrl, backup))) worked.backups += 1;
  for (const restore of open.restores) if (!signal?.aborted && (await makeRestore(ownerUrl, restore))) worked.restores += 1;
  return worked;
}
