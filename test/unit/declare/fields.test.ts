import { expect } from "chai";
import { described } from "../../../core/schema/fields.ts";
import { answer, flag, input, nullable, optional, Type, text, uuid } from "../../../core/schema/schema.ts";

describe("described()", () => {
  const CLIENT = "The client";
  const cases: [what: string, schema: object, texts: Record<string, string>, expected: string | undefined][] = [
    ["a field of that name everywhere", uuid(), {}, CLIENT],
    ["the same where it may be null", nullable(uuid()), {}, `${CLIENT}; null if none`],
    ["the same where a named schema may be null", nullable(answer("Client", { id: uuid() })), {}, `${CLIENT}; null if none`],
    ["the text of its schema's own table", nullable(uuid()), { company_id: "The payer" }, "The payer"],
    ["its own description", { ...uuid(), description: "The debtor" }, { company_id: "The payer" }, "The debtor"],
  ];
  for (const [what, schema, texts, expected] of cases)
    it(`takes ${what}`, () => {
      const { company_id } = described({ company_id: schema as never }, texts) as unknown as Record<string, object>;
      expect(company_id).to.deep.equal({ ...schema, description: expected });
    });

  it("leaves a field that no text knows", () => {
    expect(described({ shelf: flag() }).shelf).to.not.have.property("description");
  });

  it("changes nothing else: what may be left out may be left out still", () => {
    const { properties, required } = input(
      "Crate",
      { name: text(5), company_id: optional(uuid()) },
      { name: "Name of the crate" },
    );
    expect(required).to.deep.equal(["name"]);
    expect(properties.name).to.deep.equal({ ...text(5), description: "Name of the crate" });
    expect(Type.Object(described(properties)).required).to.deep.equal(["name"]);
  });
});
