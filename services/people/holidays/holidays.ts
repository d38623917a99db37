import { addDays, dateOf, type IsoDate, isoWeekday } from "../../../core/calendar/calendar.ts";

/** A generated holiday; `key` is stable across years. */
export interface GeneratedHoliday {
  readonly key: string;
  readonly date: IsoDate;
  readonly name_i18n: Readonly<Record<string, string>>;
}

/** The generator of an organisation without a country (people chapter §4, "Settings"). */
export const DEFAULT_COUNTRY = "nl";

/** Gregorian Easter Sunday of a year (Meeus/Jones/Butcher, "Astronomical Algorithms", ch. 8): from 22 March to 25 April. */
export function easterSunday(year: number): IsoDate {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const ofCentury = year % 100;
  const moonShift = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - Math.floor(century / 4) - moonShift + 15) % 30;
  const weekShift = (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - epact - (ofCentury % 4)) % 7;
  const late = Math.floor((golden + 11 * epact + 22 * weekShift) / 451);
  const days = epact + weekShift - 7 * late + 114;
  return dateOf(year, Math.floor(days / 31), (days % 31) + 1);
}

/** King's Day: 27 April, or 26 April when the 27th is a Sunday. */
function kingsDay(year: number): IsoDate {
  const date = dateOf(year, 4, 27);
  return isoWeekday(date) === 7 ? addDays(date, -1) : date;
}

/**
 * The 11 public holidays of the Netherlands in a year, from the service's own table (people chapter §5): no regions, and Liberation Day
 * every year. Two may fall on one date (2005-05-05): an import keeps the first.
 */
export function dutchHolidays(year: number): GeneratedHoliday[] {
  const easter = easterSunday(year);
  const row = (key: string, date: IsoDate, nl: string, en: string): GeneratedHoliday => ({
    key,
    date,
    name_i18n: { nl, en },
  });
  return [
    row("nieuwjaarsdag", dateOf(year, 1, 1), "Nieuwjaarsdag", "New Year's Day"),
    row("goede_vrijdag", addDays(easter, -2), "Goede Vrijdag", "Good Friday"),
    row("eerste_paasdag", easter, "Eerste Paasdag", "Easter Sunday"),
    row("tweede_paasdag", addDays(easter, 1), "Tweede Paasdag", "Easter Monday"),
    row("koningsdag", kingsDay(year), "Koningsdag", "King's Day"),
    row("bevrijdingsdag", dateOf(year, 5, 5), "Bevrijdingsdag", "Liberation Day"),
    row("hemelvaartsdag", addDays(easter, 39), "Hemelvaartsdag", "Ascension Day"),
    row("eerste_pinksterdag", addDays(easter, 49), "Eerste Pinksterdag", "Whit Sunday"),
    row("tweede_pinksterdag", addDays(easter, 50), "Tweede Pinksterdag", "Whit Monday"),
    row("eerste_kerstdag", dateOf(year, 12, 25), "Eerste Kerstdag", "Christmas Day"),
    row("tweede_kerstdag", dateOf(year, 12, 26), "Tweede Kerstdag", "Boxing Day"),
  ];
}
