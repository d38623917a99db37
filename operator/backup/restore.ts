import pg from "pg";
import type { Config } from "../../core/config/config.ts";
import { migrate, roleOf } from "../../migrations/run.ts";
import { openInstallation } from "../boot.ts";
import { checkFiles, forgetLost, restoreFiles } from "./files.ts";
import { checkKeys, restoreKeys } from "./keys.ts";
import { loadTables, refuseFilled } from "./load.ts";
import { checkParts, type Manifest, readManifest } from "./manifest.ts";

/** Options of a restore. */
export interface RestoreOptions {
  /** Restore without the secrets whose keys this installation does not have. */
  otherSecret: boolean;
}

/** Result of a restore. */
export interface Restored {
  manifest: Manifest;
  /** Migrations applied after loading, if this version is newer than the backup. */
  migrated: string[];
}

/**
 * Fills an empty installation from a backup: checks everything first, migrates the schema to the backup's version, loads the tables in one
 * transaction, and applies the later migrations. An interrupted restore can be run again.
 * @throws OperatorError if the backup is incomplete or does not fit this version, or the target is not empty
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
