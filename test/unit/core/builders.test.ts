import { expect } from "chai";
import { Type as TypeBox } from "typebox";
import { Type } from "../../../core/schema/builders.ts";

type Builders = typeof Type;

/** What each builder is called with; the same calls go to TypeBox. */
const CASES: Record<string, (type: Builders) => object> = {
  "a text": (type) => type.String(),
  "a text with options": (type) => type.String({ minLength: 1, pattern: "^a$", default: "a" }),
  "an integer": (type) => type.Integer({ minimum: 0, maximum: 5 }),
  "a number": (type) => type.Number({ exclusiveMinimum: 0 }),
  "a boolean": (type) => type.Boolean({ default: true }),
  null: (type) => type.Null(),
  anything: (type) => type.Unknown({ description: "Anything." }),
  "a schema of JSON": (type) => type.Unsafe({ type: ["string", "null"], maxLength: 3 }),
  "a list": (type) => type.Array(type.String(), { maxItems: 2 }),
  "one of several": (type) => type.Union([type.String(), type.Null()], { description: "Text." }),
  "a map": (type) => type.Record(type.String(), type.Integer(), { description: "Numbers by name." }),
  "an object": (type) => type.Object({ a: type.Optional(type.String()), b: type.Null() }, { $id: "Thing" }),
  "an object without required properties": (type) => type.Object({ a: type.Optional(type.String()) }),
  "an object without properties": (type) => type.Object({}),
  "an object of a marked schema": (type) => type.Object({ a: type.Optional(type.Unsafe({ type: "string" })) }),
  "an object of a schema marked before it was made unsafe": (type) =>
    type.Object({ a: type.Unsafe(type.Optional(type.String()) as never) as never }),
  "an object of a marked schema's copy": (type) => type.Object({ a: { ...type.Optional(type.String()) } }),
};

describe("the builders of schemas", () => {
  for (const [name, made] of Object.entries(CASES))
    it(`make the same as TypeBox: ${name}`, () => {
      const [ours, theirs] = [made(Type), made(TypeBox as unknown as Builders)];
      expect(JSON.stringify(ours)).to.equal(JSON.stringify(theirs));
      expect(Type.IsOptional(ours as never)).to.equal(TypeBox.IsOptional(theirs as never));
    });

  it("leave a schema that they mark or copy as it was", () => {
    const plain = Type.String();
    const marked = Type.Optional(plain);
    expect(Type.IsOptional(plain)).to.equal(false);
    expect(Type.IsOptional(marked)).to.equal(true);
    expect(Type.IsOptional(TypeBox.Optional(TypeBox.String()))).to.equal(true);
  });
});
