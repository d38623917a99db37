import {
  answer,
  date,
  flag,
  input,
  names,
  neverNull,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";
import { flagOfChange, year } from "../sent.ts";

const HOLIDAY = {
  date: "The day; an organisation has one holiday a day",
  active: "Whether it is a day off. A deactivated holiday is an ordinary day. Stored requests keep their hours",
  source: "`manual`, or the country whose calendar it was imported from",
  key: "Key of the holiday, the same in every year; null if added by hand",
};

export const LeaveHolidayRead = answer(
  "LeaveHolidayRead",
  {
    id: uuid(),
    date: date(),
    name_i18n: names(),
    active: flag(),
    source: Type.String(),
    key: nullable(Type.String()),
  },
  HOLIDAY,
);
export const LeaveHolidayCreate = input(
  "LeaveHolidayCreate",
  {
    date: date(),
    name_i18n: optional(names({ default: {} })),
    active: optional(flag(true)),
  },
  HOLIDAY,
);
export const LeaveHolidayUpdate = input(
  "LeaveHolidayUpdate",
  {
    date: optional(neverNull(nullable(date()))),
    name_i18n: optional(neverNull(nullable(names()))),
    active: flagOfChange(),
  },
  HOLIDAY,
);
export const HolidayImport = input(
  "HolidayImport",
  { year: year(), country: optional(nullable(text(2))) },
  {
    year: "Calendar year to import",
    country: "Country, ISO 3166-1 alpha-2; null or absent, that of the settings, else the Netherlands",
  },
);
export const HolidayImportResult = answer(
  "HolidayImportResult",
  {
    created: Type.Integer(),
    updated: Type.Integer(),
    skipped: Type.Integer(),
  },
  {
    created: "Number of holidays that were added",
    updated: "Number of holidays that moved to another date",
    skipped: "Number of holidays that were left as they are",
  },
);
