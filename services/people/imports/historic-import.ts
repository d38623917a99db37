import { type IsoDate, isDate } from "../../../core/calendar/calendar.ts";
import { isDecimal } from "../../../core/values/money.ts";
import type { LeaveType } from "../leave-types.ts";
import { type OccupiedSpan, occupies, REQUEST_STATUSES, type RequestStatus } from "../requests/status.ts";
import { overrideAllowed, priceDecision } from "../requests/transitions.ts";
import { type Hours, hoursText } from "../working-time/hours.ts";
import type { WeekSources } from "../working-time/schedule.ts";

/** The columns of the spreadsheet and the command line (people chapter §16, "Historic import"). */
export const IMPORT_COLUMNS = ["email", "leave_type_key", "start_date", "end_date", "hours", "status", "note"] as const;
/** One column of a historic import. */
export type ImportColumn = (typeof IMPORT_COLUMNS)[number];

/** One row as text; an absent cell is empty. */
export type ImportRow = Readonly<Partial<Record<ImportColumn, string>>>;

/** A member of the organisation with the data to price and check leave. */
export interface ImportMember {
  readonly user_id: string;
  readonly person: WeekSources;
  readonly requests: readonly OccupiedSpan[];
}

/** The data that rows are checked against. E-mail addresses are lower-case; inactive types are included. */
export interface ImportSources {
  readonly members: ReadonlyMap<string, ImportMember>;
  readonly types: ReadonlyMap<string, Pick<LeaveType, "id">>;
  readonly holidays: ReadonlySet<IsoDate>;
}

/** A request to store, without an event, notification, mirror entry or pot. */
export interface ImportedRequest {
  readonly user_id: string;
  readonly leave_type_id: string;
  readonly start_date: IsoDate;
  readonly end_date: IsoDate;
  readonly hours: Hours;
  readonly hours_override: Hours | null;
  readonly status: RequestStatus;
  readonly note: string | null;
}

/** An error in a row; rows count from 1. */
export interface ImportError {
  readonly row: number;
  readonly column: ImportColumn;
  readonly error: string;
}

type Checked = { readonly request: ImportedRequest } | { readonly errors: Omit<ImportError, "row">[] };

function columnErrors(cell: (column: ImportColumn) => string, sources: ImportSources): Omit<ImportError, "row">[] {
  const errors: Omit<ImportError, "row">[] = [];
  const check = (column: ImportColumn, ok: boolean, error = "errors.validation"): void => {
    if (!ok) errors.push({ column, error });
  };
  const required = (column: ImportColumn, ok: (text: string) => boolean, error?: string): void => {
    const text = cell(column);
    if (text === "") check(column, false, "errors.required");
    else check(column, ok(text), error);
  };
  required("email", (text) => sources.members.has(text.toLowerCase()), "errors.not_found");
  required("leave_type_key", (text) => sources.types.has(text), "errors.not_found");
  required("start_date", isDate);
  required("end_date", isDate);
  const hours = cell("hours");
  check("hours", hours === "" || (isDecimal(hours) && overrideAllowed(hours) && overrideAllowed(hoursText(hours))));
  const status = cell("status");
  check("status", status === "" || REQUEST_STATUSES.some((known) => known === status));
  return errors;
}

/** The column that a span refusal belongs to. */
function columnOf(fields: Readonly<Record<string, string>> | undefined, message: string): ImportColumn {
  if (fields?.end_date) return "end_date";
  return message === "errors.leave_no_working_hours" ? "hours" : "start_date";
}

function checkRow(row: ImportRow, sources: ImportSources, taken: ReadonlyMap<string, OccupiedSpan[]>): Checked {
  const cell = (column: ImportColumn): string => (row[column] ?? "").trim();
  const errors = columnErrors(cell, sources);
  const member = sources.members.get(cell("email").toLowerCase());
  const type = sources.types.get(cell("leave_type_key"));
  if (errors.length > 0 || member === undefined || type === undefined) return { errors };
  const status = REQUEST_STATUSES.find((known) => known === cell("status")) ?? "approved";
  const dates = { start_date: cell("start_date"), end_date: cell("end_date") };
  const override = cell("hours") === "" ? null : { hours: cell("hours"), by_user_id: null };
  const others = occupies(status) ? [...member.requests, ...(taken.get(member.user_id) ?? [])] : [];
  const calendar = { person: member.person, holidays: sources.holidays, requests: others };
  const priced = priceDecision({ ...dates, start_time: null, end_time: null }, override, calendar, null);
  if (!priced.allowed) {
    const { fields, message } = priced.refusal;
    const column = columnOf(fields, message);
    return { errors: [{ column, error: fields?.[column] ?? message }] };
  }
  const { hours, hours_override } = priced;
  const note = cell("note") === "" ? null : (row.note ?? null);
  return { request: { user_id: member.user_id, leave_type_id: type.id, ...dates, hours, hours_override, status, note } };
}

/**
 * Reads historic requests from rows (people chapter §16), with the checks of a create, except that the past is open.
 * Given `hours` are the agreed number; empty ones are computed with today's calendar and week. An empty status is `approved`. A row that
 * is invalid, worth nothing, or overlaps stored leave or an earlier row is reported by row and column. Rejected and cancelled rows
 * neither occupy days nor overlap.
 */
export function readHistoricRequests(
  rows: readonly ImportRow[],
  sources: ImportSources,
): { requests: ImportedRequest[]; errors: ImportError[] } {
  const requests: ImportedRequest[] = [];
  const errors: ImportError[] = [];
  const taken = new Map<string, OccupiedSpan[]>();
  for (const [index, row] of rows.entries()) {
    const checked = checkRow(row, sources, taken);
    if ("errors" in checked) {
      errors.push(...checked.errors.map((error) => ({ row: index + 1, ...error })));
      continue;
    }
    const { request } = checked;
    requests.push(request);
    const spans = taken.get(request.user_id) ?? [];
    taken.set(request.user_id, [...spans, { ...request, id: `row ${index + 1}` }]);
  }
  return { requests, errors };
}
