import { queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { IS_WORKING, WORKING_CONNECTIONS } from "../../../mixins/google/connection.ts";
import { SCOPE } from "../../../mixins/google/scopes.ts";

/**
 * SQL: the connections `c` whose calendars jobs can read and write, for a `from` clause; the organisation is `$1`. Use it with
 * `HAS_CALENDAR`, which requires a working connection with a calendar grant. The broader scope `calendar` includes `calendar.events`, and
 * an empty list of scopes does not prove that one is missing.
 */
export const CALENDAR_CONNECTIONS = `${WORKING_CONNECTIONS}
  join workspace_settings s on s.organisation_id = c.organisation_id and s.calendar_enabled`;
/** SQL: the condition for `CALENDAR_CONNECTIONS`. */
export const HAS_CALENDAR = `${IS_WORKING} and ${holdsCalendar("c.scopes")}`;

/** SQL: whether a list of scopes includes calendars. */
export function holdsCalendar(scopes: string): string {
  return `(${scopes} = '{}' or ${scopes} && array['${SCOPE.calendar}', '${SCOPE.calendarWhole}']::text[])`;
}

/** A connection whose calendar can be read and written now. */
export interface CalendarConnection {
  readonly id: string;
  readonly account_id: string;
  /** Google's id of the person. */
  readonly subject: string;
}

const select = (condition: string) =>
  statement(`select c.id, c.account_id, c.subject from ${CALENDAR_CONNECTIONS} where ${HAS_CALENDAR} and ${condition}`);
const BY_ID = select("c.id = $2");
const BY_ACCOUNT = select("c.account_id = $2");

/** The connection, if its calendar can be read and written now. */
export const calendarConnection = (connectionId: string): Promise<CalendarConnection | undefined> =>
  queryOne<CalendarConnection>(BY_ID, [request().organisation.id, connectionId]);

/** A person's connection, if its calendar can be read and written now. */
export const calendarConnectionOf = (accountId: string): Promise<CalendarConnection | undefined> =>
  queryOne<CalendarConnection>(BY_ACCOUNT, [request().organisation.id, accountId]);
