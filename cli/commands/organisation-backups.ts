import { createWriteStream } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { openStored } from "../../core/files/storage.ts";
import { recordAct } from "../../operator/instance/audit.ts";
import {
  BACKUPS,
  deleteBackup,
  findBackup,
  findRestore,
  type OrganisationBackup,
  pageOfBackups,
  requestBackup,
  requestRestore,
  storedBackup,
} from "../../operator/organisation-backup/records.ts";
import { makeBackup, makeRestore, removeBackupBytes } from "../../operator/organisation-backup/work.ts";
import { OperatorError, requireLine, requireSlug } from "../../operator/organisations.ts";
import { atOnce } from "../at-once.ts";
import { type Call, type Command, columns, ORG, type Outcome } from "../command.ts";

const BY = "command line";
const ID = { name: "id", about: "Id of the backup, as `org backup list` shows it" };
/** Most backups that the list shows. */
const MOST = 200;

async function backupOf(call: Call): Promise<OrganisationBackup> {
  const id = call.need("id");
  const isId = /^[0-9a-f-]{36}$/.test(id);
  const found = isId ? await findBackup(call.client, id) : undefined;
  if (!found) throw new OperatorError(`There is no backup '${id}'.`);
  return found;
}

/** Writes the line of the operators' audit. */
const record = (call: Call, act: string, { organisation_id: id, slug }: OrganisationBackup, detail: Record<string, unknown>) =>
  recordAct(call.client, act, null, null, { organisation: { id, slug }, detail });

/** What became of a piece of work. */
const outcomeOf = <T extends { state: string; error: string | null }>(
  found: T | undefined,
  text: (found: T) => string,
): Outcome => {
  if (found?.state === "failed") throw new OperatorError(found.error ?? "It failed.");
  if (!found || !["ready", "done"].includes(found.state))
    throw new OperatorError("A node has begun it; `org backup list` shows how far it is.");
  return { json: found, text: [text(found)] };
};

export const organisationBackupCommands: readonly Command[] = [
  {
    name: "org backup create",
    about: "Back up one organisation into the store of files, encrypted, while the service runs",
    options: { org: ORG },
    details: ["It is deleted after SERVICE_ORGANISATION_BACKUP_DAYS."],
    ownTransactions: true,
    run: (call) =>
      call.withPool(async () => {
        const organisation = await call.organisation();
        const backup = await atOnce(call.client, async () => {
          const requested = await requestBackup(call.client, organisation, BY);
          await record(call, "backup.requested", requested, { backup: requested.id });
          return requested;
        });
        await makeBackup(call.ownerUrl, backup);
        return outcomeOf(
          await findBackup(call.client, backup.id),
          ({ id, slug, rows, files, taken_at: takenAt }) =>
            `${id} has ${rows} rows and ${files} files of ${slug}, as of ${takenAt}.`,
        );
      }),
  },
  {
    name: "org backup list",
    about: "List the backups of organisations, the newest first",
    options: { org: { ...ORG, about: "Only those of this organisation" } },
    async run(call) {
      const organisation = call.text("org") === undefined ? undefined : (await call.organisation()).id;
      const { items } = await pageOfBackups(call.client, { organisation, only: null, limit: MOST });
      return {
        json: items,
        text: columns(items.map((one) => [one.id, one.slug, one.state, one.taken_at ?? one.created_at, one.error ?? ""])),
      };
    },
  },
  {
    name: "org backup download",
    about: "Write a backup of an organisation into a file, encrypted as it is stored",
    arguments: [ID, { name: "file", about: "The new file" }],
    run: (call) =>
      call.withPool(async () => {
        const { id } = await backupOf(call);
        const { backend } = await storedBackup(call.client, id);
        const file = path.resolve(call.need("file"));
        const { bytes, size } = await openStored({ organisationId: BACKUPS, id, backend });
        await pipeline(bytes, createWriteStream(file, { flags: "wx", mode: 0o600, flush: true }));
        return { json: { id, file, bytes: size }, text: [`${file} has ${size} bytes.`] };
      }),
  },
  {
    name: "org backup delete",
    about: "Delete a backup of an organisation before its day",
    arguments: [ID],
    run: (call) =>
      call.withPool(async () => {
        const backup = await backupOf(call);
        await deleteBackup(call.client, backup.id);
        await removeBackupBytes(backup.id);
        await record(call, "backup.deleted", backup, { backup: backup.id });
        return { json: { id: backup.id }, text: [`${backup.id} is deleted.`] };
      }),
  },
  {
    name: "org backup restore",
    about: "Restore a backup of an organisation in addition to the others, suspended until you resume it",
    arguments: [ID],
    options: {
      slug: { value: "SLUG", about: "First label of its address, which no organisation has", required: true },
      name: { value: "NAME", about: "Its name; that of the backup if omitted" },
    },
    details: [
      "If the original is gone, the restored organisation has its ids and secrets; else it is a copy with ids of its own, without secrets.",
    ],
    ownTransactions: true,
    run: (call) =>
      call.withPool(async () => {
        const backup = await backupOf(call);
        const [slug, name] = [call.need("slug"), call.text("name") ?? null];
        requireSlug(slug);
        requireLine(name);
        const restore = await atOnce(call.client, async () => {
          const requested = await requestRestore(call.client, backup.id, { slug, name }, BY);
          await record(call, "restore.requested", backup, { backup: backup.id, restore: requested.id, slug });
          return requested;
        });
        await makeRestore(call.ownerUrl, restore);
        return outcomeOf(
          await findRestore(call.client, restore.id),
          ({ slug: restored, rows, files }) =>
            `${restored} has ${rows} rows and ${files} files, and is suspended: \`org resume --org ${restored}\` opens it.`,
        );
      }),
  },
];
