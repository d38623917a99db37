import path from "node:path";
import type { Manifest } from "../../operator/backup/manifest.ts";
import type { Command } from "../command.ts";

const FOLDER = [{ name: "dir", about: "The folder of the backup" }];

const count = (number: number, one: string): string => `${number.toLocaleString("en")} ${one}${number === 1 ? "" : "s"}`;

function factsOf({ version, taken_at, postgresql, tables, files, keys }: Manifest) {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const json = {
    version,
    taken_at,
    postgresql,
    tables: tables.length,
    rows,
    files: files.parts.length,
    files_missing: files.missing,
    files_left_out: files.left_out,
    keys: keys.parts.map(({ file }) => file),
  };
  const contents = `${count(tables.length, "table")} with ${count(rows, "row")} and ${count(files.parts.length, "file")}`;
  return { json, contents };
}

export const backupCommands: readonly Command[] = [
  {
    name: "backup",
    about: "Write database, files and keys into a new folder, while the service runs",
    arguments: FOLDER,
    options: { "include-s3": { about: "Copy the files on S3 too; by default they stay in their bucket" } },
    details: [
      "The folder holds every organisation's data and, in embedded mode, the main secret; make sure that only you can read it.",
      "Keys from the environment are not in the backup: keep SERVICE_SECRET and SERVICE_ENCRYPTION_KEY with it, but outside its folder.",
    ],
    async alone({ need, flag, config, note }) {
      const { makeBackup } = await import("../../operator/backup/backup.ts");
      const folder = path.resolve(need("dir"));
      const manifest = await makeBackup(config, folder, { includeS3: flag("include-s3") }, note);
      const { json, contents } = factsOf(manifest);
      const { missing, left_out: leftOut } = manifest.files;
      return {
        json: { folder, ...json },
        text: [
          `${folder} holds ${contents}, as of ${manifest.taken_at}.`,
          ...(leftOut > 0 ? [`Not in the backup: ${count(leftOut, "file")} on S3. Keep the bucket, or use --include-s3.`] : []),
          ...(missing.length > 0 ? [`The store has lost ${count(missing.length, "file")}: ${missing.join(", ")}.`] : []),
          ...(manifest.keys.main_secret === null || json.keys.includes("keys/secret")
            ? []
            : ["The backup does not contain the main secret: keep SERVICE_SECRET."]),
        ],
      };
    },
  },
  {
    name: "restore",
    about: "Fill an empty installation from a backup",
    arguments: FOLDER,
    options: { "other-secret": { about: "Restore without the secrets whose keys this installation does not have" } },
    details: [
      "The settings name the target: a new SERVICE_DATA_DIR, or an empty SERVICE_DATABASE_URL.",
      "Waiting jobs and mails run as soon as the service starts: stop the installation that you backed up first.",
    ],
    async alone({ need, flag, config, note }) {
      const { restoreBackup } = await import("../../operator/backup/restore.ts");
      const folder = path.resolve(need("dir"));
      const { manifest, migrated } = await restoreBackup(config, folder, { otherSecret: flag("other-secret") }, note);
      const { json, contents } = factsOf(manifest);
      return {
        json: { folder, ...json, migrated },
        text: [
          `Restored ${contents}, as of ${manifest.taken_at}; every table was compared with the backup.`,
          ...(migrated.length > 0 ? [`Then applied ${migrated.join(", ")}.`] : []),
        ],
      };
    },
  },
];
