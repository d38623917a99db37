import { expect } from "chai";
import { type PreviewAsked, preview } from "../../../services/people/requests/preview.ts";
import { balance, booking, contract, HOLIDAYS, person, pot, span, typeOf, UNEVEN_WEEK } from "./support.ts";

const TODAY = "2029-06-15";
const vacation = typeOf("vacation_statutory");
const sources = balance({
  pots: [pot("vacation_statutory", 2029, 40), pot("vacation_statutory", 2030, 80)],
  bookings: [booking("vacation_statutory", "2029-06-11", 8, { id: "r" })],
  today: TODAY,
});
const asked = (over: Partial<PreviewAsked> = {}): PreviewAsked => ({
  user_id: "me",
  span: span("2029-07-02", "2029-07-03"),
  type: vacation,
  edited: null,
  ...over,
});
const edited = { id: "r", user_id: "me", start_date: "2029-06-11", status: "pending" } as const;
const of = (over: Partial<PreviewAsked> = {}, who = person()) => preview(asked(over), who, HOLIDAYS, sources);

describe("preview", () => {
  it("answers hours, breakdown, days, the remainder and the cost", () => {
    expect(of()).to.deep.equal({
      hours: "16.00",
      breakdown: [
        { date: "2029-07-02", hours: "8.00", reason: null },
        { date: "2029-07-03", hours: "8.00", reason: null },
      ],
      days: "2.00",
      remaining_hours: "32.00",
      touches_past: false,
      requires_approval: true,
    });
  });

  it("divides by the average day of the week in force on the start date", () => {
    const who = person({ contracts: [contract("2029-07-02", "2029-07-02", { schedule: UNEVEN_WEEK })] });
    expect(of({ span: span("2029-07-02") }, who)).to.include({ hours: "7.75", days: "1.48" });
  });

  it("touches the past by its own start or that of the request it edits", () => {
    expect(of({ span: span("2029-06-14") })).to.include({ touches_past: true });
    expect(of({ span: span(TODAY) })).to.include({ touches_past: false });
    expect(of({ edited })).to.include({ touches_past: true });
    expect(of({ edited: { ...edited, start_date: TODAY } })).to.include({ touches_past: false });
    expect(of({ edited: { ...edited, user_id: "you" } })).to.include({ touches_past: false });
  });

  it("requires approval by its type or by the past", () => {
    const sick = typeOf("sick");
    expect(of({ type: sick })).to.include({ requires_approval: false });
    expect(of({ type: sick, span: span("2029-06-14") })).to.include({ requires_approval: true });
    expect(of({ type: null })).to.include({ requires_approval: false });
    expect(of({ type: null, edited })).to.include({ requires_approval: true });
  });

  it("what remains is of the start year, null without a balance type, and leaves out the person's edited request if it occupies", () => {
    expect(of({ span: span("2030-02-04") }).remaining_hours).to.equal("112.00");
    expect([of({ type: typeOf("sick") }).remaining_hours, of({ type: null }).remaining_hours]).to.deep.equal([null, null]);
    expect(of({ edited }).remaining_hours).to.equal("40.00");
    expect(of({ edited: { ...edited, user_id: "you" } }).remaining_hours).to.equal("32.00");
    expect(of({ edited: { ...edited, status: "rejected" } }).remaining_hours).to.equal("32.00");
  });

  it("answers a span worth nothing", () => {
    expect(of({ span: span("2029-07-07") })).to.include({ hours: "0.00", days: "0.00" });
  });
});
