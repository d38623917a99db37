import { expect } from "chai";
import fc from "fast-check";
import { identityOf, type Occurred } from "../../../services/automation/runs/identity.ts";

const HOP: Occurred = {
  event: "task.status_changed",
  entity_type: "task",
  entity_id: "0199f0aa-0000-7000-8000-000000000001",
  payload: { from: "open", to: "done", labels: ["web", 7], finished: true },
  occurrence: null,
};

describe("identityOf()", () => {
  it("is the same for the same content, in whatever order its fields stand", () => {
    const turned = Object.fromEntries(Object.entries(HOP.payload).toReversed());
    expect(identityOf({ ...HOP, payload: turned })).to.equal(identityOf(HOP));
    expect(identityOf({ ...HOP, payload: { a: { b: 1, c: 2 } } })).to.equal(
      identityOf({ ...HOP, payload: { a: { c: 2, b: 1 } } }),
    );
    expect(identityOf({ ...HOP, occurrence: undefined })).to.equal(identityOf(HOP));
  });

  const others: [what: string, changed: Partial<Occurred>][] = [
    ["event", { event: "task.assigned" }],
    ["kind of record", { entity_type: "project" }],
    ["record", { entity_id: "0199f0aa-0000-7000-8000-000000000002" }],
    ["value", { payload: { ...HOP.payload, to: "open" } }],
    ["number that was a text", { payload: { ...HOP.payload, labels: ["web", "7"] } }],
    ["order of a list", { payload: { ...HOP.payload, labels: [7, "web"] } }],
    ["field", { payload: { ...HOP.payload, more: null } }],
    ["occurrence", { occurrence: "2026-03-19" }],
  ];
  for (const [what, changed] of others)
    it(`is another one for another ${what}`, () => {
      expect(identityOf({ ...HOP, ...changed })).to.not.equal(identityOf(HOP));
    });

  it("tells contents apart as JSON does", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const identity = (value: unknown) => identityOf({ ...HOP, payload: { value } });
        expect(identity(structuredClone(one))).to.equal(identity(one));
        expect(identity(one) === identity(other)).to.equal(isSame(one, other));
      }),
    );
  });
});

/** Whether two values of JSON have the same content. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [names, otherNames] = [Object.keys(one), Object.keys(other)];
  return (
    names.length === otherNames.length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) && isSame((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]),
    )
  );
}
