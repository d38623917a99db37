import { yearOf } from "../../../core/calendar/calendar.ts";
import { queryOne } from "../../../core/database/query.ts";
import { invalid, notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { type Row, statement } from "../../../core/sql/statement.ts";
import { askedPerson, requireMember } from "../callers.ts";
import { expectedHolidays } from "../holidays/expected-holidays.ts";
import { balanceSources, settled } from "../pots/pots.ts";
import { refuseFields } from "../sent.ts";
import { loadSources } from "../sources.ts";
import { spanErrors } from "../working-time/span-cost.ts";
import { askedSpan } from "./edit.ts";
import { type Preview, type PreviewAsked, preview } from "./preview.ts";
import type { LeaveRequestPreview } from "./request-schemas.ts";

const EDITED = statement("select id, user_id, start_date, status from leave_requests where organisation_id = $1 and id = $2");

/**
 * A span's cost for a person and the balance it leaves (people §6, "Preview"). Derives pots of the year for a type that spends them.
 * @throws 403 for another person without read `:any`, 404 for a non-member and for an unknown type, 422 for the span
 */
export async function previewRequest(body: Static<typeof LeaveRequestPreview>): Promise<Preview> {
  const userId = askedPerson(body.user_id ?? undefined, "leave.request.read:any");
  if (userId === null) throw invalid({ user_id: "errors.required" });
  const span = askedSpan(body);
  const loaded = await loadSources({ users: [userId], ledger: true });
  requireMember(loaded.person(userId));
  const type = body.leave_type_id ? (loaded.types.find(({ id }) => id === body.leave_type_id?.toLowerCase()) ?? null) : null;
  if (body.leave_type_id && type === null) throw notFound();
  refuseFields(spanErrors(span));
  const sources = type?.active && type.tracks_balance ? await settled(loaded, [userId], [yearOf(span.start_date)]) : loaded;
  const edited = body.request_id ? await queryOne<Row>(EDITED, [request().organisation.id, body.request_id]) : undefined;
  const asked: PreviewAsked = {
    user_id: userId,
    span,
    type,
    edited: (edited as unknown as PreviewAsked["edited"]) ?? null,
  };
  const person = sources.person(userId);
  const holidays = await expectedHolidays(sources, span.start_date, span.end_date);
  return preview(asked, person, holidays, balanceSources(sources, person));
}
