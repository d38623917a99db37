import { spreadsheets } from "../operator/import/run.ts";
import type { Command } from "./command.ts";
import { backupCommands } from "./commands/backup.ts";
import { configurationCommands } from "./commands/configuration.ts";
import { encryptionCommands } from "./commands/encryption.ts";
import { exportCommands } from "./commands/exports.ts";
import { importCommands } from "./commands/imports.ts";
import { instanceCommands } from "./commands/instance.ts";
import { jobCommands } from "./commands/jobs.ts";
import { keyCommands } from "./commands/keys.ts";
import { licenceCommands } from "./commands/licences.ts";
import { maintenanceCommands } from "./commands/maintenance.ts";
import { organisationBackupCommands } from "./commands/organisation-backups.ts";
import { organisationCommands } from "./commands/organisations.ts";
import { providerCommands } from "./commands/providers.ts";
import { serviceAccessCommands } from "./commands/service-access.ts";
import { topCommands } from "./commands/top.ts";
import { userCommands } from "./commands/users.ts";

/** Every command of the command line, in the order of the help. */
export async function allCommands(): Promise<readonly Command[]> {
  const entities = await spreadsheets();
  return [
    ...instanceCommands,
    ...organisationCommands,
    ...userCommands,
    ...keyCommands,
    ...serviceAccessCommands,
    ...licenceCommands,
    ...maintenanceCommands,
    ...jobCommands,
    ...topCommands,
    ...importCommands(entities),
    ...exportCommands(entities),
    ...backupCommands,
    ...organisationBackupCommands,
    ...encryptionCommands,
    ...providerCommands,
    ...configurationCommands,
  ];
}
