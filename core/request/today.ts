import { type IsoDate, todayIn, zoneOr } from "../calendar/calendar.ts";
import { DEFAULT_ZONE } from "../config/defaults.ts";
import { request } from "./context.ts";

/** The zone of the running request's organisation; an unset or unknown one is the instance's (conventions §15). */
export const organisationZone = (): string => zoneOr(request().organisation.timezone, DEFAULT_ZONE);

/** Today's date where the running request's organisation is, never the UTC date (conventions §15). */
export const organisationToday = (): IsoDate => todayIn(request().organisation.timezone, new Date().toISOString(), DEFAULT_ZONE);
