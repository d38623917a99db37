import { addDays } from "../../../../core/calendar/dates.ts";
import { dateIn, wallClockIn, zoneOr } from "../../../../core/calendar/zones.ts";
import { DEFAULT_ZONE } from "../../../../core/config/defaults.ts";
import type { Collection } from "../requests/operation.ts";
import { kindOf, objectIn, type ProviderRow, type Values } from "../requests/provider-objects.ts";

/** Days of the provider's change history that can be read, one fewer than it keeps. */
const KEPT = 29;
/** Most changes of one answer; the oldest come first, so that those nearest to the write are in it. */
const LIMIT = 10_000;
/** The client of changes that come through the API, as ours do. */
const API = "GOOGLE_ADS_API";

/** A change of an object in the provider's history. */
export interface HistoryChange {
  name: string;
  operation: string;
  /** Whether it came through the API, or the provider does not say. */
  isFromApi: boolean;
  from: Values;
  to: Values;
}

/**
 * The query of the changes that followed a write; null if the history leaves out its collection or no longer reaches back to it.
 * @param since instant of the write, ISO 8601
 * @param now milliseconds
 * @param zone of the account, in which the provider dates changes; null if unknown
 */
export function historyQuery(collection: Collection, since: string, now: number, zone: string | null): string | null {
  const { history } = kindOf(collection);
  if (history === null || !reachesBack(since, now)) return null;
  const own = zoneOr(zone, DEFAULT_ZONE);
  const fields = ["change_date_time", "change_resource_name", "resource_change_operation", "client_type", "old_resource"];
  const select = [...fields, "new_resource"].map((field) => `change_event.${field}`).join(", ");
  const at = "change_event.change_date_time";
  return `SELECT ${select} FROM change_event WHERE ${at} BETWEEN '${wallClockIn(own, since)}' AND '${addDays(dateIn(own, now), 1)} 00:00:00' AND change_event.change_resource_type = '${history}' ORDER BY ${at} ASC LIMIT ${LIMIT}`;
}

/** Whether the provider still keeps the history of that time. @param since instant, ISO 8601 @param now milliseconds */
export const reachesBack = (since: string, now: number): boolean => now - Date.parse(since) < KEPT * 86_400_000;

/** The changes in the rows of `historyQuery`, oldest first. */
export const changesIn = (collection: Collection, rows: readonly ProviderRow[]): HistoryChange[] =>
  rows.map((row) => {
    const change = objectIn(row["changeEvent"]);
    const { key } = kindOf(collection);
    const client = change["clientType"];
    return {
      name: String(change["changeResourceName"] ?? ""),
      operation: String(change["resourceChangeOperation"] ?? ""),
      isFromApi: client === undefined || client === API,
      from: objectIn(objectIn(change["oldResource"])[key]),
      to: objectIn(objectIn(change["newResource"])[key]),
    };
  });
