import type pg from "pg";
import { newId } from "../../core/database/model.ts";
import type { Backend } from "../../core/request/context.ts";
import { OperatorError } from "../organisations.ts";

/** Where the store of files has the backups: in no organisation's folder, so that they outlive it. */
export const BACKUPS = "00000000-0000-0000-0000-000000000000";

const COLUMNS = `id, organisation as organisation_id, slug, name, state, step, done, total, version, taken_at, tables, rows, files, files_missing,
  bytes, error, requested_by, created_at, finished_at, expires_at`;
const RESTORE_COLUMNS = `id, backup_id, slug, name, state, step, done, total, organisation as organisation_id, rows, files, accounts, error,
  requested_by, created_at, finished_at`;

/** A backup of one organisation, as operators see it. */
export interface OrganisationBackup {
  id: string;
  organisation_id: string;
  slug: string;
  name: string;
  state: "waiting" | "running" | "ready" | "failed";
  step: string | null;
  done: string;
  total: string | null;
  version: string | null;
  taken_at: string | null;
  tables: number | null;
  rows: string | null;
  files: number | null;
  files_missing: number | null;
  bytes: string | null;
  error: string | null;
  requested_by: string;
  created_at: string;
  finished_at: string | null;
  expires_at: string | null;
}

/** A restore of a backup, as operators see it. */
export interface OrganisationRestore
  extends Pick<
    OrganisationBackup,
    "id" | "slug" | "step" | "done" | "total" | "rows" | "files" | "error" | "requested_by" | "created_at" | "finished_at"
  > {
  backup_id: string;
  name: string | null;
  state: "waiting" | "running" | "done" | "failed";
  organisation_id: string | null;
  accounts: number | null;
}

/**
 * Requests a backup of an organisation; a job makes it.
 * @param by who requests it
 * @throws OperatorError while another one of the same organisation is being made
 */
export async function requestBackup(
  client: pg.ClientBase,
  { id, slug, name }: { id: string; slug: string; name: string },
  by: string,
): Promise<OrganisationBackup> {
  await client.query("select from organisations where id = $1 for update", [id]);
  const { rowCount } = await client.query(
    "select from organisation_backups where organisation = $1 and state in ('waiting', 'running')",
    [id],
  );
  if (rowCount !== 0) throw new OperatorError(`A backup of '${slug}' is being made already.`);
  const { rows } = await client.query<OrganisationBackup>(
    `insert into organisation_backups (id, organisation, slug, name, requested_by) values ($1, $2, $3, $4, $5) returning ${COLUMNS}`,
    [newId(), id, slug, name, by],
  );
  return rows[0] as OrganisationBackup;
}

/** What a page of backups is limited to. */
export interface BackupFilter {
  organisation?: string | undefined;
  /** Ids of the only organisations to show; null for all. */
  only: readonly string[] | null;
  limit: number;
  /** Id of the backup that the page begins behind. */
  after?: string | undefined;
}

/** A page of backups, the newest first. */
export async function pageOfBackups(
  client: pg.ClientBase,
  { organisation, only, limit, after }: BackupFilter,
): Promise<{ items: OrganisationBackup[]; next: string | null }> {
  const { rows } = await client.query<OrganisationBackup>(
    `select ${COLUMNS} from organisation_backups
      where ($1::uuid is null or organisation = $1) and ($2::uuid[] is null or organisation = any($2)) and ($3::uuid is null or id < $3)
      order by id desc limit $4`,
    [organisation ?? null, only, after ?? null, limit + 1],
  );
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

/** One backup, or undefined if there is none with this id. */
export async function findBackup(client: pg.ClientBase, id: string): Promise<OrganisationBackup | undefined> {
  return (await client.query<OrganisationBackup>(`select ${COLUMNS} from organisation_backups where id = $1`, [id])).rows[0];
}

/** Where a backup that is ready is stored. @throws OperatorError for one that is not ready */
export async function storedBackup(client: pg.ClientBase, id: string): Promise<{ backend: Backend; contentKey: string }> {
  const { rows } = await client.query<{ backend: Backend; contentKey: string }>(
    `select backend, content_key as "contentKey" from organisation_backups where id = $1 and state = 'ready'`,
    [id],
  );
  if (!rows[0]) throw new OperatorError("The backup is not ready.");
  return rows[0];
}

/**
 * Deletes a backup with its restores' records. Remove its bytes before the commit: after a crash the record is still there to delete again.
 * @throws OperatorError while it is being made or restored
 */
export async function deleteBackup(client: pg.ClientBase, id: string): Promise<void> {
  const { rows } = await client.query<{ state: string; busy: boolean }>(
    `select state, exists (select from organisation_restores r where r.backup_id = b.id and r.state in ('waiting', 'running')) as busy
      from organisation_backups b where id = $1 for update`,
    [id],
  );
  const [found] = rows;
  if (!found) throw new OperatorError("There is no such backup.");
  if (found.state === "running") throw new OperatorError("The backup is being made; delete it once that is over.");
  if (found.busy) throw new OperatorError("The backup is being restored; delete it once that is over.");
  await client.query("delete from organisation_backups where id = $1", [id]);
}

/**
 * Requests the restore of a backup as an organisation with this slug; a job does it.
 * @param by who requests it
 * @throws OperatorError for a backup that is not ready, or a slug in use
 */
export async function requestRestore(
  client: pg.ClientBase,
  backup: string,
  { slug, name }: { slug: string; name: string | null },
  by: string,
): Promise<OrganisationRestore> {
  await client.query("select from organisation_backups where id = $1 for update", [backup]);
  await storedBackup(client, backup);
  const { rows: taken } = await client.query<{ taken: boolean }>(
    `select exists (select from organisations where slug = $1)
        or exists (select from organisation_restores where slug = $1 and state in ('waiting', 'running')) as taken`,
    [slug],
  );
  if (taken[0]?.taken) throw new OperatorError(`The slug '${slug}' is already in use.`);
  const { rows } = await client.query<OrganisationRestore>(
    `insert into organisation_restores (id, backup_id, slug, name, requested_by) values ($1, $2, $3, $4, $5) returning ${RESTORE_COLUMNS}`,
    [newId(), backup, slug, name, by],
  );
  return rows[0] as OrganisationRestore;
}

/** The restores of one backup, the newest first. */
export const restoresOf = async (client: pg.ClientBase, backup: string): Promise<OrganisationRestore[]> =>
  (
    await client.query<OrganisationRestore>(
      `select ${RESTORE_COLUMNS} from organisation_restores where backup_id = $1 order by id desc`,
      [backup],
    )
  ).rows;

/** One restore, or undefined if there is none with this id. */
export const findRestore = async (client: pg.ClientBase, id: string): Promise<OrganisationRestore | undefined> =>
  (await client.query<OrganisationRestore>(`select ${RESTORE_COLUMNS} from organisation_restores where id = $1`, [id])).rows[0];
