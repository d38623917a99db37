import type { MirroredEvent } from "../../../core/calendar/mirrored-event.ts";
import { query } from "../../../core/database/query.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday, organisationZone } from "../../../core/request/today.ts";
import { input, Type, uuid } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import type { AvailabilityRule } from "../availability/availability.ts";
import { loadSources } from "../sources.ts";
import type { FeedRequest } from "./calendar-feed.ts";
import { mirroredAvailability, mirroredLeave } from "./mirrored-leave.ts";

const FALLBACK_LOCALE = "en";
/** Most records per call. */
const MOST = 200;
const MirroredQuery = input("MirroredQuery", { ids: Type.Array(uuid(), { maxItems: MOST }) });

const ComingQuery = input("ComingMirroredQuery", { user_id: uuid() });

const LOCALE = "(select a.locale from accounts a where a.id = t.user_id) as locale";
const APPROVED = statement(`select t.id, t.user_id, t.leave_type_id, t.start_date, t.end_date, t.start_time, t.end_time,
    t.resolved_start_time, t.resolved_end_time, ${LOCALE}
  from leave_requests t where t.organisation_id = $1 and t.id = any($2::uuid[]) and t.status = 'approved'`);
const EXCEPTIONS =
  statement(`select t.id, t.user_id, t.kind, t.date, t.start_time, t.end_time, t.repeat_weeks, t.repeat_until, ${LOCALE}
  from leave_availability t where t.organisation_id = $1 and t.id = any($2::uuid[])`);

const COMING_LEAVE = statement(`select t.id from leave_requests t
  where t.organisation_id = $1 and t.user_id = $2 and t.status = 'approved' and t.end_date >= $3::date order by t.start_date, t.id`);
const COMING_EXCEPTIONS = statement(`select t.id from leave_availability t
  where t.organisation_id = $1 and t.user_id = $2
    and (t.date >= $3::date or t.repeat_weeks is not null and (t.repeat_until is null or t.repeat_until >= $3::date))
  order by t.date, t.id`);

type Located = { readonly user_id: string; readonly locale: string | null };
type Approved = Omit<FeedRequest, "user_name" | "note"> & Located & { readonly leave_type_id: string };
type Exception = AvailabilityRule & Located & { readonly id: string };

const shared = { open: "the job that writes calendars calls it as the system (people §13)", needs: "everything" } as const;

const readerOf = ({ locale }: Located) => ({
  locale: locale ?? request().organisation.locale,
  fallback_locale: FALLBACK_LOCALE,
  zone: organisationZone(),
});
const sourcesOf = (rows: readonly Located[]) => loadSources({ users: [...new Set(rows.map(({ user_id }) => user_id))] });

const comingOf = async (found: typeof COMING_LEAVE, accountId: string): Promise<string[]> =>
  (await query<{ id: string }>(found, [request().organisation.id, accountId, organisationToday()])).map(({ id }) => id);

/** Leave and exceptions as events in people's own calendars (people §13, "Calendar mirror"). */
export default service("leave.mirror", {
  actions: {
    requests: internal({
      ...shared,
      summary: "Approved leave among some requests, as events of a calendar",
      body: MirroredQuery,
      async handler(ctx): Promise<MirroredEvent[]> {
        const rows = await query<Approved>(APPROVED, [ctx.meta.organisation.id, ctx.params.body.ids]);
        if (rows.length === 0) return [];
        const { types, person } = await sourcesOf(rows);
        return rows.flatMap((leave) => {
          const type = types.find(({ id }) => id === leave.leave_type_id);
          return type ? [mirroredLeave(leave, type, person(leave.user_id), readerOf(leave))] : [];
        });
      },
    }),

    coming_requests: internal({
      ...shared,
      summary: "A person's approved leave that ends today or later",
      body: ComingQuery,
      handler: (ctx): Promise<string[]> => comingOf(COMING_LEAVE, ctx.params.body.user_id),
    }),

    coming_exceptions: internal({
      ...shared,
      summary: "A person's exceptions to working weeks that fall on today or later",
      body: ComingQuery,
      handler: (ctx): Promise<string[]> => comingOf(COMING_EXCEPTIONS, ctx.params.body.user_id),
    }),

    exceptions: internal({
      ...shared,
      summary: "Exceptions to working weeks, as events of a calendar",
      body: MirroredQuery,
      async handler(ctx): Promise<MirroredEvent[]> {
        const rows = await query<Exception>(EXCEPTIONS, [ctx.meta.organisation.id, ctx.params.body.ids]);
        if (rows.length === 0) return [];
        const { person } = await sourcesOf(rows);
        return rows.map((rule) => mirroredAvailability(rule, person(rule.user_id), readerOf(rule)));
      },
    }),
  },
});
