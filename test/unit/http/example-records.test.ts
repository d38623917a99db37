import { expect } from "chai";
import { date, input, integer, label, nullable, optional } from "../../../core/schema/schema.ts";
import { recordText } from "../../../services/api/openapi/examples/example-records.ts";
import { bodyExampleOf } from "../../../services/api/openapi/openapi-examples.ts";

describe("examples by the record that has the field", () => {
  for (const [record, field, text] of [
    ["TaskTemplateCreate", "name", "Livegang van een website"],
    ["ProjectRead", "name", "Nieuwe website"],
    ["ReportRead", "title", "Februari 2026"],
    ["ReportToneRead", "name", "Kort en zakelijk"],
    ["CompanyRead", "name", undefined],
    ["ProjectRead", "city", undefined],
  ] as const)
    it(`are ${text ?? "by the field alone"} for ${field} of ${record}`, () => {
      expect(recordText(record, field)).to.equal(text);
    });

  it("reach a body: a template is no client, and leave is no year", () => {
    const body = input("TaskTemplateCreate", {
      name: label(255),
      days_per_year: optional(nullable(integer(1, 366))),
      on: date(),
    });
    expect(bodyExampleOf(body)).to.deep.equal({ name: "Livegang van een website", days_per_year: 12, on: "2026-03-02" });
  });
});
