import { type IsoDate, todayIn, zoneOr } from "../calendar/calendar.ts";
import { DEFAULT_ZONE } from "../config/defaults.ts";
import { request } from "./context.ts";

/** The time zone of the current organisation; the installation's if it is unset or unknown (conventions §15). */
export const organisationZone = (): string => zoneOr(request().organisation.timezone, DEFAULT_ZONE);

/** Today's date in the current organisation's time zone, never the UTC date (conventions §15). */
export const organisationToday = (): IsoDate => todayIn(request().organisation.timezone, new Date().toISOString(), DEFAULT_ZONE);
