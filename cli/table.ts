import type { Command } from "./command.ts";
import { importCommands } from "./commands/imports.ts";
import { keyCommands } from "./commands/keys.ts";
import { licenceCommands } from "./commands/licences.ts";
import { maintenanceCommands } from "./commands/maintenance.ts";
import { organisationCommands } from "./commands/organisations.ts";
import { userCommands } from "./commands/users.ts";

/** Every command of the command line, in the order of the help. */
export const commands: readonly Command[] = [
  ...organisationCommands,
  ...userCommands,
  ...keyCommands,
  ...licenceCommands,
  ...maintenanceCommands,
  ...importCommands,
];
