import { yearOf } from "../../../core/calendar/calendar.ts";
import { sinceQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { query, queryAll, queryOne } from "../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { date, flag, list, optional, type Static } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { holidayWindow, windowErrors } from "../limits.ts";
import { HolidayModel } from "../models.ts";
import { lockEverybody } from "../person-lock.ts";
import { addHolidays, SEED_STATE, type SeedState, seedLeave } from "../seeding.ts";
import { year } from "../sent.ts";
import { loadSources } from "../sources.ts";
import { generateHolidays } from "./holiday-generator.ts";
import { type HolidayRow, planImport } from "./holiday-import.ts";
import {
  HolidayImport,
  HolidayImportResult,
  LeaveHolidayCreate,
  LeaveHolidayRead,
  LeaveHolidayUpdate,
} from "./holiday-schemas.ts";

const shown = projection({ model: HolidayModel, schema: LeaveHolidayRead });
const holidays = rowsOf({
  model: HolidayModel,
  projection: shown,
  whole: {
    order: "t.date",
    of: {
      from: { type: "date", when: (slot) => `t.date >= ${slot}` },
      to: { type: "date", when: (slot) => `t.date <= ${slot}` },
    },
    by: { active: "boolean" },
  },
});

const ROWS = statement("select id, date, key, active from leave_holidays where organisation_id = $1");

const seedState = async (): Promise<SeedState> =>
  (await queryOne(SEED_STATE, [request().organisation.id])) as unknown as SeedState;

export default resource("leave.holidays", {
  model: HolidayModel,
  actions: {
    list: action({
      rest: "GET /leave/holidays",
      summary: "List the holidays of a year or of a window, by date",
      description: "The first use by a caller who can write leave creates this year's and next year's.",
      permission: "leave.request.read",
      query: {
        year: optional(year()),
        date_from: optional(date()),
        date_to: optional(date()),
        include_inactive: optional(flag(false)),
        ...sinceQuery,
      },
      returns: list(LeaveHolidayRead),
      writes: true,
      async handler(ctx) {
        const { include_inactive: all, updated_since, ...asked } = ctx.params;
        const { from, to } = holidayWindow(asked, organisationToday());
        const wrong = windowErrors(from, to);
        if (Object.keys(wrong).length > 0) throw invalid(wrong);
        const listed = holidays.allBound({ from, to, active: all ? undefined : true, updated_since });
        const sent = await queryAll([SEED_STATE, [ctx.meta.organisation.id]], listed);
        const [[state], [row]] = sent as unknown as [[SeedState], [Listed]];
        return new JsonText(((await seedLeave(state)) ? await queryOne<Listed>(...listed) : row)?.items ?? "[]");
      },
    }),

    create: action({
      rest: "POST /leave/holidays",
      summary: "Add a holiday by hand",
      permission: "leave.holiday.write",
      body: LeaveHolidayCreate,
      returns: LeaveHolidayRead,
      errors: ["conflict"],
      async handler(ctx) {
        await seedLeave(await seedState());
        return holidays.answerWith(queueInsert(HolidayModel, ctx.params.body));
      },
    }),

    update: action({
      rest: "PATCH /leave/holidays/:holiday_id",
      summary: "Rename, move or switch a holiday; stored leave keeps its hours",
      permission: "leave.holiday.write",
      body: LeaveHolidayUpdate,
      returns: LeaveHolidayRead,
      errors: ["conflict"],
      async handler(ctx) {
        const id = ctx.params.holiday_id;
        const before = await holidays.forWrite(id);
        const changed = differences(before, ctx.params.body);
        if (changed) queueUpdate(HolidayModel, id, changed);
        return holidays.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /leave/holidays/:holiday_id",
      summary: "Delete a holiday; a generated one comes back with the next import",
      permission: "leave.holiday.write",
      async handler(ctx) {
        const id = ctx.params.holiday_id;
        await holidays.forWrite(id);
        queueRemove(HolidayModel, id);
      },
    }),

    import: action({
      rest: "POST /leave/holidays/import",
      summary: "Generate a year's holidays again; those made or switched off by hand stay",
      permission: "leave.holiday.write",
      body: HolidayImport,
      returns: HolidayImportResult,
      status: 200,
      async handler(ctx) {
        lockEverybody();
        return importYear(ctx.params.body.year, ctx.params.body.country ?? null);
      },
    }),
  },

  jobs: {
    "leave.import-holidays": {
      about: "Generates next year's holidays",
      module: "leave",
      schedule: "0 3 1 12 *",
      everywhere: "once a year, each organisation needs the holidays of the next",
      spread: 55,
      async handler(run) {
        await run.write(async () => {
          lockEverybody();
          const { settings, today } = await loadSources({ users: [] });
          if (settings.holiday_auto_import) await importYear(yearOf(today) + 1, null);
        });
      },
    },
  },
});

/**
 * Imports a year's generated holidays, with everyone's leave locked (people §5).
 * @param country null uses the country in the settings
 */
async function importYear(wanted: number, country: string | null): Promise<Static<typeof HolidayImportResult>> {
  const state = await seedState();
  await seedLeave(state, wanted);
  const rows = await query<HolidayRow>(ROWS, [request().organisation.id]);
  const code = country ?? state.holiday_country;
  const { create, move, skipped } = planImport(wanted, await generateHolidays(code, wanted), rows);
  for (const { id, date: to } of move) queueUpdate(HolidayModel, id, { date: to });
  addHolidays(code, create);
  return { created: create.length, updated: move.length, skipped };
}

type Listed = { items: string };
