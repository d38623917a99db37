import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import fc from "fast-check";
import { plainSchema } from "../../../core/schema/plain-schema.ts";
import { CONDITION_EXAMPLES, ConditionTree } from "../../../services/automation/rules/condition-schemas.ts";
import {
  areConditions,
  type Conditions,
  comparedFields,
  conditionFault,
  meets,
} from "../../../services/automation/rules/conditions.ts";
import { cases } from "../../support/cases.ts";

/** The task and the event of the worked examples (platform chapter §10), the event over the task. */
const FACTS = {
  status: "open",
  priority: "high",
  allocated_minutes: 90,
  due_date: "2026-03-19",
  project_id: null,
  from: "open",
  to: "review",
  finished: false,
  labels: ["web", 7],
  spent: 0,
};

const compare = (field: string, op: NonNullable<Conditions["op"]>, value: Conditions["value"]): Conditions => ({
  field,
  op,
  value: value ?? null,
});

describe("comparedFields()", () => {
  const trees: [tree: Conditions, fields: string[]][] = [
    [{}, []],
    [{ any: [] }, []],
    [compare("to", "eq", 1), ["field: to"]],
    [
      { all: [compare("to", "eq", 1), {}, { any: [compare("from", "in", []), { all: [compare("to", "ne", 2)] }] }] },
      ["all.0.field: to", "all.2.any.0.field: from", "all.2.any.1.all.0.field: to"],
    ],
  ];
  for (const [tree, fields] of trees)
    it(`of ${JSON.stringify(tree)}`, () => {
      expect(comparedFields(tree).map(([at, field]) => `${at}: ${field}`)).to.deep.equal(fields);
    });
});

describe("meets()", () => {
  const cases: [what: string, tree: Conditions, met: boolean][] = [
    ["a number as text is the number", compare("allocated_minutes", "eq", "90"), true],
    ["case counts", compare("to", "eq", "Review"), false],
    ["but not inside a text", compare("to", "contains", "VIEW"), true],
    ["dates are compared as text", compare("due_date", "lt", "2026-04-01"), true],
    ["null is not x", compare("project_id", "ne", "x"), true],
    ["a boolean is no number", compare("finished", "gt", 0), false],
    ["of a group with any: [] not all are met", { all: [compare("priority", "in", ["high"]), { any: [] }] }, false],
    ["nothing asks nothing", {}, true],
    ["all: []", { all: [] }, true],
    ["any: []", { any: [] }, false],
    ["any of two", { any: [compare("to", "eq", "x"), compare("to", "eq", "review")] }, true],
    ["all of two", { all: [compare("to", "eq", "x"), compare("to", "eq", "review")] }, false],
    ["a missing field is null", compare("missing", "eq", null), true],
    ["a missing field is not a text", compare("missing", "ne", "x"), true],
    ["a missing field is in a list with null", compare("missing", "in", ["x", null]), true],
    ["a missing field is in no other list", compare("missing", "in", ["x"]), false],
    ["a missing field contains nothing", compare("missing", "contains", ""), false],
    ["a missing field has no order", compare("missing", "lt", "x"), false],
    ["a missing field is not greater", compare("missing", "gt", -1), false],
    ["what every object has is missing too", compare("constructor", "eq", null), true],
    ["a fraction of nothing is no difference", compare("allocated_minutes", "eq", "90.0"), true],
    ["true never equals 1", compare("finished", "eq", 0), false],
    ["false equals false", compare("finished", "eq", false), true],
    ["a blank text is no number", compare("missing", "eq", ""), false],
    ["a number in a list of texts", compare("allocated_minutes", "in", ["30", "90"]), true],
    ["ne is the opposite of eq", compare("allocated_minutes", "ne", "90"), false],
    ["numbers are compared as numbers", compare("allocated_minutes", "gt", "9"), true],
    ["not greater than itself", compare("allocated_minutes", "gt", 90), false],
    ["not less than itself", compare("allocated_minutes", "lt", 90), false],
    ["texts in their order", compare("status", "gt", "done"), true],
    ["which is that of their characters", compare("status", "gt", "Open"), true],
    ["a text is not less than itself", compare("status", "lt", "open"), false],
    ["a text is not greater than itself", compare("status", "gt", "open"), false],
    ["zero is not nothing", compare("spent", "eq", null), false],
    ["zero is no blank text", compare("spent", "eq", ""), false],
    ["nothing is not zero", compare("project_id", "eq", 0), false],
    ["a number and a text have no order", compare("status", "gt", 1), false],
    ["a member of a list", compare("labels", "contains", "web"), true],
    ["a member of a list exactly", compare("labels", "contains", "WEB"), false],
    ["a number of a list", compare("labels", "contains", "7"), true],
    ["a number contains nothing", compare("allocated_minutes", "contains", "9"), false],
    ["in without a list", { field: "to", op: "in", value: "review" }, false],
  ];
  for (const [what, tree, met] of cases)
    it(`${what}: ${JSON.stringify(tree)}`, () => {
      expect(meets(FACTS, tree)).to.equal(met);
    });

  it("compares numbers exactly", () => {
    const facts = { amount: "9007199254740993" };
    expect(meets(facts, compare("amount", "eq", "9007199254740992"))).to.equal(false);
    expect(meets(facts, compare("amount", "gt", "9007199254740992"))).to.equal(true);
  });
});

describe("areConditions()", () => {
  const leaf = compare("to", "eq", "x");
  const deep = (levels: number): unknown => (levels === 0 ? leaf : { all: [deep(levels - 1)] });
  const cases: [what: string, tree: unknown, are: boolean][] = [
    ["nothing", {}, true],
    ["a comparison", leaf, true],
    ["a comparison with null", compare("to", "eq", null), true],
    ["a comparison with a flat list", compare("to", "in", ["x", 1, true, null]), true],
    ["groups", { any: [{ all: [leaf, {}] }, leaf] }, true],
    ["empty groups", { all: [] }, true],
    ["five levels below the root", deep(5), true],
    ["six levels below the root", deep(6), false],
    ["fifty nodes", { all: Array(49).fill(leaf) }, true],
    ["fifty-one nodes", { all: Array(50).fill(leaf) }, false],
    ["fifty-one nodes in two groups", { any: [{ all: Array(24).fill(leaf) }, { all: Array(24).fill({}) }] }, false],
    ["a key too many", { ...leaf, not: true }, false],
    ["a key too few", { field: "to", op: "eq" }, false],
    ["two groups in one", { all: [], any: [] }, false],
    ["a group with a comparison in it", { all: [], ...leaf }, false],
    ["an unknown group", { none: [] }, false],
    ["a group that is no list", { all: leaf }, false],
    ["an unknown operator", { ...leaf, op: "like" }, false],
    ["an inherited operator", { ...leaf, op: "constructor" }, false],
    ["a field without a name", { ...leaf, field: "" }, false],
    ["a field that is no text", { ...leaf, field: 1 }, false],
    ["an object as value", { ...leaf, value: {} }, false],
    ["a list in a list", { ...leaf, value: [["x"]] }, false],
    ["in without a list", { ...leaf, op: "in" }, false],
    ["a text", "all", false],
    ["null", null, false],
    ["a list", [], false],
    ["null in a group", { all: [null] }, false],
  ];
  for (const [what, tree, are] of cases)
    it(`${are ? "takes" : "refuses"} ${what}`, () => {
      expect(areConditions(tree)).to.equal(are);
    });

  it("does not go as deep as the input", () => {
    let tree: unknown = {};
    for (let n = 0; n < 100_000; n++) tree = { all: [tree] };
    expect(areConditions(tree)).to.equal(false);
  });
});

describe("conditionFault()", () => {
  const leaf = compare("to", "eq", "x");
  const cases: [what: string, tree: unknown, at: string, expected: string | number][] = [
    ["a misspelt key of a comparison", { feild: "to", op: "eq", value: 1 }, "feild", "field"],
    ["a misspelt group", { al: [leaf] }, "al", "all"],
    ["a misspelt operator, below groups", { all: [leaf, { any: [{ ...leaf, op: "contain" }] }] }, "all.1.any.0.op", "contains"],
    ["an operator that is no text", { ...leaf, op: 1 }, "op", "string"],
    ["a comparison without a value", { field: "to", op: "eq" }, "value", "scalar"],
    ["a comparison without a field", { op: "eq", value: 1 }, "field", "string"],
    ["in without a list", { ...leaf, op: "in" }, "value", "array"],
    ["an object in a list", { ...leaf, op: "in", value: ["x", {}] }, "value.1", "scalar"],
    ["a comparison in a group", { all: [], ...leaf }, "field", "nothing"],
    ["a group that is no list", { any: [{ all: leaf }] }, "any.0.all", "array"],
    ["a node that is no object", { all: ["x"] }, "all.0", "object"],
    ["a tree that is no object", [], "", "object"],
    [
      "too deep a node",
      [1, 2, 3, 4, 5, 6].reduce<unknown>((tree) => ({ all: [tree] }), leaf),
      "all.0.all.0.all.0.all.0.all.0.all.0",
      5,
    ],
    ["too many nodes", { all: Array(50).fill(leaf) }, "", 50],
    ["a key without end", { ["x".repeat(1e6)]: 1 }, "", "object"],
  ];
  for (const [what, tree, at, expected] of cases)
    it(`locates ${what}`, () => {
      expect(conditionFault(tree)).to.deep.equal({ at, expected });
    });
});

describe("conditions of every kind", () => {
  const scalar = fc.oneof(
    fc.string(),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom("3", "3.0", "1e3"),
  );
  const comparison = fc.record({
    field: fc.constantFrom("a", "b", "c", "__proto__", "toString"),
    op: fc.constantFrom("eq", "ne", "in", "contains", "gt", "lt"),
    value: fc.oneof(scalar, fc.array(scalar, { maxLength: 4 })),
  });
  const SEARCH = cases(3000);
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6, depthSize: "small" },
      comparison,
      fc.constant({}),
      fc.record({ all: fc.array(tie("tree"), { maxLength: 3 }) }),
      fc.record({ any: fc.array(tie("tree"), { maxLength: 3 }) }),
      fc.jsonValue(),
    ),
  }));
  const facts = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.oneof(scalar, fc.array(scalar), fc.jsonValue()));

  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile({
    ...plainSchema(ConditionTree),
    $defs: Object.fromEntries(Object.entries(ConditionTree.$defs).map(([name, schema]) => [name, plainSchema(schema)])),
  });

  it("are those of the reference, within its limits", () => {
    const counts = { valid: 0, invalid: 0 };
    fc.assert(
      fc.property(tree, (made) => {
        const sent: unknown = JSON.parse(JSON.stringify(made));
        const fault = conditionFault(sent);
        if (typeof fault?.expected === "number") return;
        counts[fault === null ? "valid" : "invalid"] += 1;
        expect(validate(sent), JSON.stringify([sent, fault, validate.errors])).to.equal(fault === null);
      }),
      SEARCH,
    );
    expect(Math.min(counts.valid, counts.invalid)).to.be.greaterThan(SEARCH.numRuns / 10);
    for (const example of CONDITION_EXAMPLES) expect(conditionFault(example)).to.equal(null);
  });

  it("are looked through and evaluated without an error", () => {
    let evaluated = 0;
    fc.assert(
      fc.property(tree, facts, (sent, held) => {
        if (!areConditions(sent)) return;
        evaluated += 1;
        expect(meets(held, sent)).to.be.a("boolean");
      }),
      SEARCH,
    );
    expect(evaluated).to.be.greaterThan(SEARCH.numRuns / 6);
  });

  it("obey the laws of their groups", () => {
    fc.assert(
      fc.property(tree, tree, facts, (one, other, held) => {
        if (!areConditions(one) || !areConditions(other)) return;
        const [first, second] = [meets(held, one), meets(held, other)];
        expect(meets(held, { all: [one, other] })).to.equal(first && second);
        expect(meets(held, { any: [one, other] })).to.equal(first || second);
      }),
      cases(1000),
    );
  });

  it("are the opposite with ne of the result with eq", () => {
    fc.assert(
      fc.property(comparison, facts, ({ field, value }, held) => {
        expect(meets(held, { field, op: "ne", value })).to.equal(!meets(held, { field, op: "eq", value }));
      }),
      cases(100),
    );
  });
});
