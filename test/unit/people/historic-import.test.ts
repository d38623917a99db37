import { expect } from "chai";
import { type ImportRow, type ImportSources, readHistoricRequests } from "../../../services/people/imports/historic-import.ts";
import { HOLIDAYS, person } from "./support.ts";

const sources: ImportSources = {
  members: new Map([
    [
      "noor@example.test",
      {
        user_id: "noor",
        person: person(),
        requests: [{ id: "r", start_date: "2020-03-02", end_date: "2020-03-03", status: "approved" as const }],
      },
    ],
    ["sam@example.test", { user_id: "sam", person: person(), requests: [] }],
  ]),
  types: new Map([["sick", { id: "type-sick" }]]),
  holidays: HOLIDAYS,
};
const row = (over: ImportRow = {}): ImportRow => ({
  email: "noor@example.test",
  leave_type_key: "sick",
  start_date: "2021-05-03",
  end_date: "2021-05-04",
  ...over,
});
const read = (...rows: ImportRow[]) => readHistoricRequests(rows, sources);
const problems = (...rows: ImportRow[]): string[] =>
  read(...rows).errors.map(({ row: number, column, error }) => `${number} ${column} ${error}`);

describe("historic import", () => {
  it("computes empty hours, takes given ones as agreed, and an empty status as approved", () => {
    expect(
      read(row(), row({ start_date: "2021-06-05", end_date: "2021-06-05", hours: "4", status: "rejected", note: "x " })).requests,
    ).to.deep.equal([
      {
        user_id: "noor",
        leave_type_id: "type-sick",
        start_date: "2021-05-03",
        end_date: "2021-05-04",
        hours: "16.00",
        hours_override: null,
        status: "approved",
        note: null,
      },
      {
        user_id: "noor",
        leave_type_id: "type-sick",
        start_date: "2021-06-05",
        end_date: "2021-06-05",
        hours: "4.00",
        hours_override: "4.00",
        status: "rejected",
        note: "x ",
      },
    ]);
  });

  it("knows an e-mail address in any case", () => expect(problems(row({ email: " Noor@Example.test " }))).to.deep.equal([]));

  it("reports every wrong cell under its row and column", () => {
    expect(problems(row(), { email: "", start_date: "2021-02-30", status: "maybe", hours: "0" })).to.deep.equal([
      "2 email errors.required",
      "2 leave_type_key errors.required",
      "2 start_date errors.validation",
      "2 end_date errors.required",
      "2 hours errors.validation",
      "2 status errors.validation",
    ]);
    expect(problems(row({ email: "who@example.test", leave_type_key: "none" }))).to.deep.equal([
      "1 email errors.not_found",
      "1 leave_type_key errors.not_found",
    ]);
    expect(["2001", "eight", "1,5"].flatMap((hours) => problems(row({ hours })))).to.deep.equal(
      Array(3).fill("1 hours errors.validation"),
    );
    expect(problems(row({ hours: "2000" }), row({ email: "sam@example.test", status: "cancelled" }))).to.deep.equal([]);
  });

  it("reports a wrong span, a row worth nothing and an overlap", () => {
    expect(problems(row({ end_date: "2021-05-01" }))).to.deep.equal(["1 end_date errors.leave_end_before_start"]);
    expect(problems(row({ end_date: "2022-06-01" }))).to.deep.equal(["1 end_date errors.validation"]);
    expect(problems(row({ start_date: "2021-05-01", end_date: "2021-05-02" }))).to.deep.equal([
      "1 hours errors.leave_no_working_hours",
    ]);
    expect(problems(row({ start_date: "2020-03-03", end_date: "2020-03-04" }))).to.deep.equal([
      "1 start_date errors.leave_overlap",
    ]);
  });

  it("rows overlap each other too; rejected and cancelled ones occupy nothing", () => {
    expect(problems(row(), row({ start_date: "2021-05-04", end_date: "2021-05-04" }))).to.deep.equal([
      "2 start_date errors.leave_overlap",
    ]);
    expect(problems(row(), row({ email: "sam@example.test" }))).to.deep.equal([]);
    expect(problems(row({ status: "cancelled" }), row(), row({ status: "rejected" }))).to.deep.equal([]);
    expect(problems(row({ status: "pending" }), row())).to.deep.equal(["2 start_date errors.leave_overlap"]);
    expect(problems(row({ end_date: "2021-05-01" }), row())).to.deep.equal(["1 end_date errors.leave_end_before_start"]);
  });
});
