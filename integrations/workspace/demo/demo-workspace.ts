import type { DemoOrganisation } from "../../../core/declare/module.ts";
import { fillCalendars } from "./demo-calendars.ts";
import { fillDrive } from "./demo-drive.ts";

/** Adds the workspace suite to the demo organisation, without a live provider. */
export async function fillWorkspace(demo: DemoOrganisation): Promise<void> {
  await fillCalendars(demo);
  await fillDrive(demo);
}
