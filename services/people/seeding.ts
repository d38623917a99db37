import { newId } from "../../core/database/model.ts";
import { enqueue } from "../../core/database/query.ts";
import { request } from "../../core/request/context.ts";
import { organisationToday } from "../../core/request/today.ts";
import { statement } from "../../core/sql/statement.ts";
import { mayWriteLeave } from "./callers.ts";
import { generateHolidays, generatorOf } from "./holidays/holiday-generator.ts";
import { yearsToSeed } from "./holidays/holiday-import.ts";
import type { GeneratedHoliday } from "./holidays/holidays.ts";
import { SEEDED_TYPES } from "./leave-types.ts";

/** The seed state of an organisation. */
export interface SeedState {
  readonly types_seeded: boolean;
  readonly has_holidays: boolean;
  readonly holiday_country: string | null;
}

/** The columns of {@link SeedState} for organisation `$1`; `s` is its settings row, if any. */
export const SEED_COLUMNS = `exists (select 1 from leave_types_seeded where organisation_id = $1) as types_seeded,
  exists (select 1 from leave_holidays where organisation_id = $1) as has_holidays, s.holiday_country`;

/** The seed state as a separate statement. */
export const SEED_STATE = statement(
  `select ${SEED_COLUMNS} from (values (1)) one left join leave_settings s on s.organisation_id = $1`,
);

/** Of two concurrent first reads, the second waits for the first and then finds the mark. */
const SEED_TYPES = statement(`with first as (
    insert into leave_types_seeded (organisation_id) values ($1) on conflict do nothing returning 1)
  insert into leave_types (id, organisation_id, key, label_i18n, color, paid, tracks_balance, requires_approval, accrues_schedule_gap,
    calendar_display, position, default_weeks, carry_over_months, balance_group)
  select t.id, $1, t.key, t.label_i18n, t.color, t.paid, t.tracks_balance, t.requires_approval, t.accrues_schedule_gap,
    t.calendar_display, t.position, t.default_weeks, t.carry_over_months, t.balance_group
  from jsonb_populate_recordset(null::leave_types, $2::jsonb) t
  where exists (select 1 from first) and not exists (select 1 from leave_types o where o.organisation_id = $1)`);
const MARK_TYPES = statement("insert into leave_types_seeded (organisation_id) values ($1) on conflict do nothing");
const ADD_HOLIDAYS = statement(`insert into leave_holidays (id, organisation_id, date, name_i18n, source, key)
  select h.id, $1, h.date, h.name_i18n, $2, h.key from jsonb_populate_recordset(null::leave_holidays, $3::jsonb) h
  on conflict on constraint leave_holidays_date_key do nothing`);

/** Marks the types as seeded, because the organisation created a type itself; it gets no seeded ones (people §3). */
export const markTypesSeeded = (): void => enqueue(MARK_TYPES, [request().organisation.id]);

/** Stores generated holidays; skips dates that already have one. */
export function addHolidays(country: string | null, days: readonly GeneratedHoliday[]): void {
  if (days.length === 0) return;
  const rows = JSON.stringify(days.map((day) => ({ id: newId(), ...day })));
  enqueue(ADD_HOLIDAYS, [request().organisation.id, generatorOf(country), rows]);
}

/**
 * This year's and next year's holidays for an organisation without any (people §5); else empty.
 * @param except a year that is imported anyway
 */
export async function firstHolidays(
  { has_holidays, holiday_country }: SeedState,
  except: number | null = null,
): Promise<GeneratedHoliday[]> {
  const years = yearsToSeed(organisationToday(), has_holidays).filter((year) => year !== except);
  return (await Promise.all(years.map((year) => generateHolidays(holiday_country, year)))).flat();
}

/**
 * Seeds missing types and holidays if the caller may write leave (people §3, §5). Requires a write action; under a lapsed licence it
 * stores nothing.
 * @returns whether anything may have been stored, so the caller must read again
 */
export async function seedLeave(state: SeedState, exceptHolidaysOf: number | null = null): Promise<boolean> {
  if (state.types_seeded && state.has_holidays) return false;
  if (request().mode !== "write" || !mayWriteLeave()) return false;
  if (!state.types_seeded) {
    const rows = SEEDED_TYPES.map((type) => ({ id: newId(), ...type }));
    enqueue(SEED_TYPES, [request().organisation.id, JSON.stringify(rows)]);
  }
  const days = await firstHolidays(state, exceptHolidaysOf);
  addHolidays(state.holiday_country, days);
  return !state.types_seeded || days.length > 0;
}
