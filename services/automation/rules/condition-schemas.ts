import { MOST_NODES, OPERATORS } from "./conditions.ts";

const SCALAR = { type: ["string", "number", "boolean", "null"] };
const LIST = { type: "array", items: SCALAR };
const operators = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(", ");

/** A kind of node: exactly these keys. */
const node = (title: string, description: string, properties: object) => ({
  title,
  description,
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const comparison = (title: string, description: string, op: readonly string[], value: object) =>
  node(title, description, {
    field: {
      type: "string",
      minLength: 1,
      description:
        "Field of the event or the record, from `triggers` of `GET /automation/catalog`; the event's value takes precedence. A missing field is null",
    },
    op: { type: "string", enum: [...op], description: `The comparison: ${operators(op)}` },
    value,
  });
const group = (key: string, description: string) =>
  node(key, description, {
    [key]: { type: "array", items: { $ref: "RuleCondition" }, maxItems: MOST_NODES - 1, description: "The nodes of the group" },
  });

/** The kinds of nodes, by the names of their schemas. */
const KINDS = ["AlwaysCondition", "ComparisonCondition", "MembershipCondition", "AllCondition", "AnyCondition"];

/**
 * A tree of conditions in the API reference, the tools and the catalogue (platform chapter §2.3). `conditionFault` accepts the same trees,
 * and limits their depth and size as well.
 */
export const ConditionTree = {
  $ref: "RuleCondition",
  $defs: {
    RuleCondition: {
      description:
        "A node of a rule's conditions: exactly one of these kinds, without other keys. At most 50 nodes, none more than 5 levels below the root",
      oneOf: KINDS.map((name) => ({ $ref: name })),
    },
    AlwaysCondition: { title: "always", description: "Always true.", type: "object", maxProperties: 0 },
    ComparisonCondition: comparison(
      "comparison",
      "Compares a field. `eq` and `ne` compare exactly, or as numbers if both are; `contains` finds a text in a text, ignoring case, or a member in a list; `gt` and `lt` compare numbers, else texts, so also ISO dates.",
      OPERATORS.filter((name) => name !== "in"),
      { anyOf: [SCALAR, LIST], description: "Value to compare the field with" },
    ),
    MembershipCondition: comparison("membership", "True if the field equals one value of the list.", ["in"], {
      ...LIST,
      description: "The values; null matches a field that is empty or missing",
    }),
    AllCondition: group("all", "True if all of its nodes are, or if it has none."),
    AnyCondition: group("any", "True if at least one of its nodes is; false without nodes."),
  },
};

/** Examples of valid conditions. */
export const CONDITION_EXAMPLES = [
  { field: "to", op: "eq", value: "onboarding" },
  {
    all: [
      { field: "finished", op: "eq", value: true },
      {
        any: [
          { field: "priority", op: "in", value: ["high"] },
          { field: "title", op: "contains", value: "spoed" },
        ],
      },
    ],
  },
  {},
];
