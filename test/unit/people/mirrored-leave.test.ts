import { expect } from "chai";
import type { AvailabilityRule } from "../../../services/people/availability/availability.ts";
import { mirroredAvailability, mirroredLeave } from "../../../services/people/calendar/mirrored-leave.ts";
import { person, typeOf, UNEVEN_WEEK, ZONE } from "./support.ts";

const reader = { locale: "nl", fallback_locale: "en", zone: ZONE };
const anna = person({ default_schedule: UNEVEN_WEEK });

describe("leave in its owner's calendar (people §13, Calendar mirror)", () => {
  const leave = (start_date: string, end_date = start_date, from: string | null = null, to: string | null = null) => ({
    id: "r",
    user_id: "u",
    start_date,
    end_date,
    start_time: from,
    end_time: to,
    resolved_start_time: from,
    resolved_end_time: to,
  });
  const timed = typeOf("vacation", { calendar_display: "timed", label_i18n: { nl: "Vakantie", en: "Holiday" } });
  const whole = { ...timed, calendar_display: "all_day" as const };

  it("is timed on a single day of a timed type, else whole days with an exclusive end", () => {
    expect(mirroredLeave(leave("2030-09-09"), timed, anna, reader).time).to.deep.equal({
      all_day: false,
      start: "2030-09-09T09:00:00+02:00",
      end: "2030-09-09T17:30:00+02:00",
    });
    const days = { all_day: true, start: "2030-09-09", end: "2030-09-10" };
    expect(mirroredLeave(leave("2030-09-09"), whole, anna, reader).time).to.deep.equal(days);
    expect(mirroredLeave(leave("2030-09-09", "2030-09-09", "10:00", "12:00"), whole, anna, reader).time).to.deep.equal(days);
    expect(mirroredLeave(leave("2030-09-09", "2030-09-12"), timed, anna, reader).time).to.deep.equal({
      all_day: true,
      start: "2030-09-09",
      end: "2030-09-13",
    });
  });

  it("is busy, carries the type's label in its owner's language, and no note", () => {
    expect(mirroredLeave(leave("2030-09-09"), whole, anna, reader)).to.deep.include({
      source_id: "r",
      user_id: "u",
      title: "Vakantie",
      names: [`leave_type:${whole.id}`],
      description: null,
      is_free: false,
      weekly: null,
    });
    expect(mirroredLeave(leave("2030-09-09"), whole, anna, { ...reader, locale: "en" }).title).to.equal("Holiday");
    expect(mirroredLeave(leave("2030-09-09"), whole, anna, { ...reader, locale: "fr" }).title).to.equal("Holiday");
  });
});

describe("exceptions in their owner's calendar (people §13, Calendar mirror)", () => {
  const rule = (text: string, over: Partial<AvailabilityRule> = {}) => {
    const [date = "", window = "-"] = text.split(" ");
    const [from, to] = window.split("-");
    return {
      id: "a",
      user_id: "u",
      kind: "extra" as const,
      date,
      start_time: from || null,
      end_time: to || null,
      repeat_weeks: null,
      repeat_until: null,
      ...over,
    };
  };
  const time = (text: string) => mirroredAvailability(rule(text), anna, reader).time;

  it("last whole days without a window, and their window else", () => {
    expect(time("2030-09-09")).to.deep.equal({ all_day: true, start: "2030-09-09", end: "2030-09-10" });
    expect(time("2030-09-09 19:00-21:00")).to.deep.equal({
      all_day: false,
      start: "2030-09-09T19:00:00+02:00",
      end: "2030-09-09T21:00:00+02:00",
    });
  });

  const open: [text: string, from: string, to: string][] = [
    ["2030-09-09 12:00-", "12:00", "17:30"],
    ["2030-09-09 -12:00", "09:00", "12:00"],
    ["2030-09-10 -12:00", "00:00", "12:00"],
  ];
  for (const [text, from, to] of open)
    it(`close an open bound at the edge of the week's day, or of the day where nothing is worked: ${text}`, () => {
      const date = text.slice(0, 10);
      expect(time(text)).to.deep.equal({
        all_day: false,
        start: `${date}T${from}:00+02:00`,
        end: `${date}T${to}:00+02:00`,
      });
    });

  it("reach the next midnight where nothing is worked and the end is open", () => {
    expect(time("2030-09-10 12:00-")).to.deep.include({ start: "2030-09-10T12:00:00+02:00", end: "2030-09-11T00:00:00+02:00" });
  });

  it("fall back to the whole day where a window covers no time", () => {
    expect(time("2030-09-09 18:00-")).to.deep.equal({ all_day: true, start: "2030-09-09", end: "2030-09-10" });
    expect(time("2030-03-31 02:00-02:30").all_day).to.equal(false);
  });

  it("are free when extra and busy when unavailable, and repeat as they are stored", () => {
    const weekly = { repeat_weeks: 2, repeat_until: "2031-01-01" };
    expect(mirroredAvailability(rule("2030-09-09", weekly), anna, reader)).to.deep.include({
      title: "Extra werktijd",
      names: [],
      is_free: true,
      weekly: { interval_weeks: 2, until: "2031-01-01" },
    });
    const no = mirroredAvailability(rule("2030-09-09", { kind: "unavailable" }), anna, { ...reader, locale: "fr" });
    expect([no.title, no.is_free, no.weekly]).to.deep.equal(["Not available", false, null]);
  });
});
