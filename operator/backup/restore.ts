import pg from "pg";
import type { Config } from "../../core/config/config.ts";
import { migrate, roleOf } from "../../migrations/run.ts";
import { openInstallation } from "../boot.ts";
import { checkFiles, forgetLost, restoreFiles } from "./files.ts";
import { checkKeys, restoreKeys } from "./keys.ts";
import { loadTables, refuseFilled } from "./load.ts";
import { checkParts, type Manifest, readManifest } from "./manifest.ts";

/** What a restore may be told. */
export interface RestoreOptions {
  /** Go without the secrets that are sealed with keys this installation does not have. */
  otherSecret: boolean;
}

/** What a restore brought. */
export interface Restored {
  manifest: Manifest;
  /** Steps that ran after the rows were there, because this version is newer than the backup. */
  migrated: string[];
}

/**
 * Fills an empty installation from a backup: checks everything first, brings the schema to the backup's steps, loads the tables in one
 * transaction, and brings the steps since. It may be run again after it was cut short.
 * @throws OperatorError with one sentence when the backup is not whole or not for this version, or the target is not empty
 */
export async function restoreBackup(
  config: Config,
  folder: string,
  { otherSecret }: RestoreOptions,
  note: (line: string) => void,
): Promise<Restored> {
  const manifest = await readManifest(folder);
  await checkParts(folder, manifest);
  if (!otherSecret) await checkKeys(config, folder, manifest);
  checkFiles(config, manifest);
  const { databaseUrl, ownerUrl = "", close } = await openInstallation(config, note, { bring: async () => [] });
  try {
    const client = new pg.Client({ connectionString: ownerUrl, application_name: "kantoor restore" });
    await client.connect();
    try {
      await refuseFilled(client);
      await migrate(ownerUrl, roleOf(databaseUrl), manifest.migrations);
      await restoreFiles(config, folder, manifest);
      await restoreKeys(config, folder, manifest);
      await loadTables(client, folder, manifest);
      await forgetLost(client, manifest);
    } finally {
      await client.end();
    }
    return { manifest, migrated: await migrate(ownerUrl, roleOf(databaseUrl)) };
  } finally {
    await close();
  }
}
