import { expect } from "chai";
import { isoWeekday } from "../../../core/calendar/calendar.ts";
import { generateHolidays, generatorOf } from "../../../services/people/holidays/holiday-generator.ts";
import { type HolidayRow, planImport, yearsToSeed } from "../../../services/people/holidays/holiday-import.ts";
import { dutchHolidays, easterSunday } from "../../../services/people/holidays/holidays.ts";

const of = (year: number): Record<string, string> => Object.fromEntries(dutchHolidays(year).map((row) => [row.key, row.date]));

describe("Easter", () => {
  // U.S. Naval Observatory, "The Date of Easter"
  const known = [
    "2000-04-23",
    "2005-03-27",
    "2008-03-23",
    "2011-04-24",
    "2016-03-27",
    "2019-04-21",
    "2024-03-31",
    "2025-04-20",
    "2026-04-05",
    "2027-03-28",
    "2029-04-01",
    "2030-04-21",
    "2038-04-25",
    "2049-04-18",
    "2076-04-19",
    "2100-03-28",
    "1818-03-22",
    "1961-04-02",
  ];
  for (const date of known) it(date, () => expect(easterSunday(Number(date.slice(0, 4)))).to.equal(date));

  it("is a Sunday from 22 March to 25 April in every year", () => {
    for (let year = 1900; year <= 2300; year += 1) {
      const date = easterSunday(year);
      expect(isoWeekday(date), date).to.equal(7);
      expect(date.slice(5) >= "03-22" && date.slice(5) <= "04-25", date).to.equal(true);
    }
  });
});

describe("holidays of the Netherlands", () => {
  it("eleven in a year, by key", () => {
    expect(of(2030)).to.deep.equal({
      nieuwjaarsdag: "2030-01-01",
      goede_vrijdag: "2030-04-19",
      eerste_paasdag: "2030-04-21",
      tweede_paasdag: "2030-04-22",
      koningsdag: "2030-04-27",
      bevrijdingsdag: "2030-05-05",
      hemelvaartsdag: "2030-05-30",
      eerste_pinksterdag: "2030-06-09",
      tweede_pinksterdag: "2030-06-10",
      eerste_kerstdag: "2030-12-25",
      tweede_kerstdag: "2030-12-26",
    });
  });

  it("King's Day moves to the 26th when the 27th is a Sunday", () => {
    expect([2025, 2031, 2036, 2042].map((year) => of(year).koningsdag)).to.deep.equal([
      "2025-04-26",
      "2031-04-26",
      "2036-04-26",
      "2042-04-26",
    ]);
    expect([2026, 2027, 2030].map((year) => of(year).koningsdag)).to.deep.equal(["2026-04-27", "2027-04-27", "2030-04-27"]);
  });

  it("has names in Dutch and English", () => {
    for (const row of dutchHolidays(2030)) expect(Object.keys(row.name_i18n)).to.deep.equal(["nl", "en"]);
    expect(dutchHolidays(2030)[6]?.name_i18n).to.deep.equal({ nl: "Hemelvaartsdag", en: "Ascension Day" });
  });
});

describe("generator of a country", () => {
  it("nl without a country, in either case", async () => {
    for (const country of [null, undefined, "", "nl", "NL"]) {
      expect(generatorOf(country)).to.equal("nl");
      expect(await generateHolidays(country, 2030)).to.deep.equal(dutchHolidays(2030));
    }
    expect(generatorOf("BE")).to.equal("be");
  });

  it("the public holidays of another country, keyed by rule, in date order", async () => {
    const german = await generateHolidays("DE", 2030);
    expect(german.map((row) => `${row.date} ${row.key}`)).to.deep.equal([
      "2030-01-01 01-01",
      "2030-04-19 easter -2",
      "2030-04-22 easter 1",
      "2030-05-01 05-01",
      "2030-05-30 easter 39",
      "2030-06-10 easter 50",
      "2030-10-03 10-03",
      "2030-12-25 12-25",
      "2030-12-26 12-26",
    ]);
    expect(german[0]?.name_i18n).to.include({ de: "Neujahr", en: "New Year's Day" });
    expect(await generateHolidays("de", 2030)).to.deep.equal(german);
  });

  it("one row per day where a rule gives several, numbered from the second on", async () => {
    const korean = (await generateHolidays("KR", 2027)).filter((row) => row.key.startsWith("korean 8-0-14"));
    expect(korean.map((row) => `${row.date} ${row.key}`)).to.deep.equal([
      "2027-09-14 korean 8-0-14 P3D",
      "2027-09-15 korean 8-0-14 P3D #2",
      "2027-09-16 korean 8-0-14 P3D #3",
    ]);
    const american = (await generateHolidays("US", 2027)).filter((row) => row.key.startsWith("12-25"));
    expect(american.map((row) => row.date)).to.deep.equal(["2027-12-24", "2027-12-25"]);
    expect(new Set(american.map((row) => row.key)).size).to.equal(2);
  });

  it("keeps keys and dates unique, also where the clock changes and where holidays last half a day or several", async () => {
    for (const country of ["JP", "IS", "TR", "SA", "CH", "CN", "LC", "BE"]) {
      for (const year of [2027, 2030]) {
        const rows = await generateHolidays(country, year);
        expect(rows.length, country).to.be.greaterThan(3);
        for (const column of ["key", "date"] as const)
          expect(new Set(rows.map((row) => row[column])).size, `${country} ${column}`).to.equal(rows.length);
        expect(rows.every((row) => row.date.startsWith(`${year}-`))).to.equal(true);
      }
    }
    const easter = (await generateHolidays("CH", 2027)).filter((row) => row.date === "2027-03-28");
    expect(easter.length).to.be.lessThanOrEqual(1);
    const bayram = (await generateHolidays("TR", 2027)).filter((row) => row.key.startsWith("1 Shawwal"));
    expect(bayram.map((row) => row.date)).to.deep.equal(["2027-03-09", "2027-03-10", "2027-03-11"]);
    const eve = (await generateHolidays("IS", 2030)).filter((row) => row.date === "2030-12-24");
    expect(eve).to.have.length(1);
  });

  it("gives nothing for a country it does not know", async () => {
    for (const country of ["XX", "zz", "1"]) expect(await generateHolidays(country, 2030)).to.deep.equal([]);
  });
});

describe("import of holidays", () => {
  const stored = (key: string | null, date: string, active = true): HolidayRow => ({ id: `${key} ${date}`, key, date, active });
  const counts = (rows: HolidayRow[], year = 2030): number[] => {
    const plan = planImport(year, dutchHolidays(year), rows);
    return [plan.create.length, plan.move.length, plan.skipped];
  };
  const all = dutchHolidays(2030).map((row) => stored(row.key, row.date));

  it("creates missing ones and is idempotent", () => {
    expect(counts([])).to.deep.equal([11, 0, 0]);
    expect(counts(all)).to.deep.equal([0, 0, 11]);
  });

  it("a deleted row comes back, a deactivated one does not, on any date", () => {
    expect(counts(all.slice(1))).to.deep.equal([1, 0, 10]);
    const off = [stored("nieuwjaarsdag", "2030-01-01", false), ...all.slice(1)];
    expect(counts(off)).to.deep.equal([0, 0, 11]);
    const offElsewhere = [stored("nieuwjaarsdag", "2030-01-07", false), ...all.slice(1)];
    expect(counts(offElsewhere)).to.deep.equal([0, 0, 11]);
  });

  it("moves a row that is on another date, unless another row holds the new one", () => {
    const shifted = [stored("nieuwjaarsdag", "2030-01-02"), ...all.slice(1)];
    expect(planImport(2030, dutchHolidays(2030), shifted).move).to.deep.equal([
      { id: "nieuwjaarsdag 2030-01-02", date: "2030-01-01" },
    ]);
    expect(counts(shifted)).to.deep.equal([0, 1, 10]);
    expect(counts([...shifted, stored(null, "2030-01-01")])).to.deep.equal([0, 0, 11]);
    expect(counts([...shifted, stored(null, "2030-01-01", false)])).to.deep.equal([0, 0, 11]);
  });

  it("creates nothing on a date any row holds", () => {
    expect(counts([stored(null, "2030-12-25")])).to.deep.equal([10, 0, 1]);
    expect(counts([stored(null, "2030-12-25", false)])).to.deep.equal([10, 0, 1]);
  });

  it("matches within the year", () => {
    expect(counts(dutchHolidays(2029).map((row) => stored(row.key, row.date)))).to.deep.equal([11, 0, 0]);
  });

  it("a date that a move sets free may be taken", () => {
    const plan = planImport(
      2030,
      [
        { key: "a", date: "2030-05-02", name_i18n: {} },
        { key: "b", date: "2030-05-01", name_i18n: {} },
      ],
      [stored("a", "2030-05-01")],
    );
    expect([plan.move.length, plan.create.map((row) => row.key), plan.skipped]).to.deep.equal([1, ["b"], 0]);
  });

  it("keeps the first of two holidays on one date", () => {
    const plan = planImport(2005, dutchHolidays(2005), []);
    expect([plan.create.length, plan.skipped]).to.deep.equal([10, 1]);
    expect(plan.create.filter((row) => row.date === "2005-05-05").map((row) => row.key)).to.deep.equal(["bevrijdingsdag"]);
  });

  it("seeds this year and the next when there is no row at all", () => {
    expect(yearsToSeed("2029-12-31", false)).to.deep.equal([2029, 2030]);
    expect(yearsToSeed("2029-12-31", true)).to.deep.equal([]);
  });
});
