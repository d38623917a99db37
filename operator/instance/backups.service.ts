import type pg from "pg";
import type { InstanceCaller } from "../../core/declare/instance.ts";
import { notFound } from "../../core/errors/errors.ts";
import { FileAnswer } from "../../core/files/file-answer.ts";
import { contentDisposition } from "../../core/files/file-name.ts";
import { service } from "../../mixins/resource.ts";
import {
  BACKUPS,
  deleteBackup,
  findBackup,
  findRestore,
  type OrganisationBackup,
  type OrganisationRestore,
  pageOfBackups,
  requestBackup,
  requestRestore,
  restoresOf,
  storedBackup,
} from "../organisation-backup/records.ts";
import { removeBackupBytes, workOff } from "../organisation-backup/work.ts";
import { requireLine, requireSlug } from "../organisations.ts";
import { isOwner, ownerUrl } from "../owner.ts";
import { instanceAction, requireUnlimited, requireWithin } from "./action.ts";
import { organisationOfCall } from "./found.ts";
import { BackupCreate, BackupPage, BackupQuery, BackupRead, RestoreCreate, RestoreList, RestoreRead } from "./schemas/backups.ts";

const needs = "backups";

/** PostgreSQL sends its long whole numbers as text. */
const whole = (value: string | null): number | null => (value === null ? null : Number(value));
const shownBackup = (backup: OrganisationBackup) => ({
  ...backup,
  done: Number(backup.done),
  total: whole(backup.total),
  rows: whole(backup.rows),
  bytes: whole(backup.bytes),
});
const shownRestore = (restore: OrganisationRestore) => ({
  ...restore,
  done: Number(restore.done),
  total: whole(restore.total),
  rows: whole(restore.rows),
});

/** @throws 404 for no backup, or one of an organisation outside the limits of the caller's key */
async function backupOfCall(client: pg.ClientBase, caller: InstanceCaller, id: string): Promise<OrganisationBackup> {
  const found = await findBackup(client, id);
  if (!found) throw notFound();
  requireWithin(caller, found.organisation_id);
  return found;
}

const ofBackup = ({ organisation_id: id, slug }: OrganisationBackup) => ({ id, slug });

/** Backups of single organisations, and their restores. */
export default service("instance.backups", {
  actions: {
    list: instanceAction({
      rest: "GET /instance/backups",
      summary: "List backups of organisations, the newest first",
      needs,
      query: BackupQuery,
      returns: BackupPage,
      async handler({ client, caller, params: { organisation_id: organisation, limit = 50, cursor } }) {
        const { items, next } = await pageOfBackups(client, { organisation, only: caller.organisations, limit, after: cursor });
        return { items: items.map(shownBackup), limit, next_cursor: next };
      },
    }),

    create: instanceAction({
      rest: "POST /instance/backups",
      summary: "Request a backup of an organisation",
      description:
        "A job begins within 15 seconds: read the backup until its `state` is `ready`. It has the rows of one moment and their files, encrypted in the store of files. Waiting jobs and mails, sign-ins, keys and tokens are left out.",
      needs,
      act: "backup.requested",
      body: BackupCreate,
      returns: BackupRead,
      status: 202,
      errors: ["not_found", "instance_refused"],
      async handler({ client, caller, params: { body }, note }) {
        const organisation = await organisationOfCall(client, caller, body.organisation_id);
        const backup = await requestBackup(client, organisation, caller.administrator.email);
        note({ organisation, detail: { backup: backup.id } });
        return shownBackup(backup);
      },
    }),

    read: instanceAction({
      rest: "GET /instance/backups/:instance_backup_id",
      summary: "Show a backup and how far it has come",
      needs,
      returns: BackupRead,
      errors: ["not_found"],
      handler: async ({ client, caller, params }) => shownBackup(await backupOfCall(client, caller, params.instance_backup_id)),
    }),

    download: instanceAction({
      rest: "GET /instance/backups/:instance_backup_id/file",
      summary: "Download a backup, encrypted as it is stored",
      description: "The keys of this installation open it.",
      needs,
      returnsFile: "application/octet-stream",
      errors: ["not_found", "instance_refused"],
      async handler({ client, caller, params: { instance_backup_id: id } }) {
        const { slug } = await backupOfCall(client, caller, id);
        const { backend } = await storedBackup(client, id);
        const headers = {
          "Content-Type": "application/octet-stream",
          "Content-Disposition": contentDisposition("attachment", `${slug}-${id}.kantoor`),
          "X-Content-Type-Options": "nosniff",
          "Cache-Control": "no-store",
        };
        return new FileAnswer(headers, { place: { organisationId: BACKUPS, id, backend }, once: false });
      },
    }),

    remove: instanceAction({
      rest: "DELETE /instance/backups/:instance_backup_id",
      summary: "Delete a backup before its day",
      needs,
      act: "backup.deleted",
      returns: null,
      errors: ["not_found", "instance_refused"],
      async handler({ client, caller, params: { instance_backup_id: id }, note }) {
        const backup = await backupOfCall(client, caller, id);
        await deleteBackup(client, id);
        await removeBackupBytes(id);
        note({ organisation: ofBackup(backup), detail: { backup: id } });
        return undefined;
      },
    }),

    restore: instanceAction({
      rest: "POST /instance/backups/:instance_backup_id/restore",
      summary: "Request the restore of a backup as an organisation of its own",
      description:
        "A job begins within 15 seconds: read the restore until its `state` is `done`. If the original is gone, the restored organisation has its ids and secrets; else it is a copy with ids of its own, without secrets. It is suspended until you resume it, and no other organisation changes.",
      needs,
      act: "restore.requested",
      body: RestoreCreate,
      returns: RestoreRead,
      status: 202,
      errors: ["not_found", "instance_refused"],
      async handler({ client, caller, params: { instance_backup_id: id, body }, note }) {
        requireUnlimited(caller);
        const backup = await backupOfCall(client, caller, id);
        const { slug, name = null } = body;
        requireSlug(slug);
        requireLine(name);
        const restore = await requestRestore(client, id, { slug, name }, caller.administrator.email);
        note({ organisation: ofBackup(backup), detail: { backup: id, restore: restore.id, slug } });
        return shownRestore(restore);
      },
    }),

    restores: instanceAction({
      rest: "GET /instance/backups/:instance_backup_id/restores",
      summary: "List the restores of a backup, the newest first",
      needs,
      returns: RestoreList,
      errors: ["not_found"],
      async handler({ client, caller, params: { instance_backup_id: id } }) {
        await backupOfCall(client, caller, id);
        return (await restoresOf(client, id)).map(shownRestore);
      },
    }),

    readRestore: instanceAction({
      rest: "GET /instance/restores/:instance_restore_id",
      summary: "Show a restore and how far it has come",
      needs,
      returns: RestoreRead,
      errors: ["not_found"],
      async handler({ client, caller, params: { instance_restore_id: id } }) {
        const restore = await findRestore(client, id);
        if (!restore) throw notFound();
        await backupOfCall(client, caller, restore.backup_id);
        return shownRestore(restore);
      },
    }),
  },
  jobs: {
    "instance.backups": {
      about: "Makes requested backups and restores of organisations, and deletes backups whose time is over",
      per: "installation",
      schedule: "*/15 * * * * *",
      timeout: 6 * 3_600_000,
      // A node that has only the application role leaves the work to those that can do it.
      handler: async (run) => isOwner() && workOff(ownerUrl(), run.signal),
    },
  },
});
