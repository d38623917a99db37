import { columns } from "../../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { storeOutsideResult } from "../../../mixins/tenancy.ts";
import { ReportTone, type ReportToneRow } from "../models.ts";
import type { ReportWarning } from "../snapshot.ts";
import type { ClientContext } from "./material.ts";

/** One model turn, for a report and run. */
export interface TurnId {
  report_id: string;
  run_id: string;
}

/** The result of a turn. */
export interface TurnAnswer {
  narrative: Record<string, string>;
  warnings: ReportWarning[];
}

// Of two concurrent starts, the second inserts nothing and reads the existing row.
const BEGIN = statement(`insert into report_turns (organisation_id, report_id, run_id) values ($1, $2, $3)
  on conflict do nothing returning 1`);
const STORED = statement(
  `select narrative, warnings from report_turns where organisation_id = $1 and report_id = $2 and run_id = $3`,
);
const END = statement(`update report_turns set ended_at = statement_timestamp(), narrative = $4, warnings = $5
  where organisation_id = $1 and report_id = $2 and run_id = $3 and ended_at is null`);
const TONES = statement(`select ${columns(ReportTone)} from report_tones where organisation_id = $1`);
const CONTEXT =
  statement(`select p.tone_id, p.business_context, p.goals, p.seo_focus, p.sea_focus, p.key_services, p.priority_pages,
    p.conversion_goals, p.scope_notes, p.avoid_topics
  from reports r join report_profiles p on p.organisation_id = r.organisation_id and p.company_id = r.company_id
  where r.organisation_id = $1 and r.id = $2`);

const placeOf = ({ report_id, run_id }: TurnId) => [request().organisation.id, report_id, run_id];

/**
 * Claims a run's turn before the model is called. The claim stays even if the run fails.
 * @returns `begun` for the first caller; else the stored answer, null while it is unknown
 */
export function beginTurn(id: TurnId): Promise<"begun" | TurnAnswer | null> {
  return storeOutsideResult(async () => {
    if (await queryOne(BEGIN, placeOf(id))) return "begun" as const;
    const stored = await queryOne<{ narrative: TurnAnswer["narrative"] | null; warnings: ReportWarning[] }>(STORED, placeOf(id));
    return stored?.narrative ? { narrative: stored.narrative, warnings: stored.warnings } : null;
  });
}

/** Stores the result of a turn. */
export const endTurn = (id: TurnId, { narrative, warnings }: TurnAnswer): Promise<void> =>
  storeOutsideResult(async () => enqueue(END, [...placeOf(id), JSON.stringify(narrative), JSON.stringify(warnings)]));

export const allTones = (): Promise<ReportToneRow[]> => query<ReportToneRow>(TONES, [request().organisation.id]);

/** Reads the tone and context for a report's client; undefined without a client or a saved profile. */
export const contextOf = (reportId: string): Promise<(ClientContext & { tone_id: string | null }) | undefined> =>
  queryOne(CONTEXT, [request().organisation.id, reportId]);
