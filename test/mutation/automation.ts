import { type Mutant, type MutationCheck, of } from "./mutants.ts";

const MUTANTS: readonly Mutant[] = [
  ...of("services/automation/rules/conditions.ts", [
    // The kinds of a tree of conditions.
    ["const DEEPEST = 5", "const DEEPEST = 4"],
    ["const DEEPEST = 5", "const DEEPEST = 6"],
    ["const MOST_NODES = 50", "const MOST_NODES = 49"],
    ["count > MOST_NODES", "level.length > MOST_NODES"],
    ["group.slice(0, MOST_NODES + 1)", "group.slice(0, 20)"],
    ["value !== null && !Array.isArray(value)", "value !== null"],
    ['["string", "number", "boolean"].includes(typeof value)', '["string", "number"].includes(typeof value)'],
    ["value === null || [", "["],
    ["const second = keys.find((key) => key !== group)", "const second = undefined"],
    ["const unknown = keys.find((key) => !KEYS.includes(key))", "const unknown = undefined"],
    [' || field === "")', ")"],
    ['return { at: "op", expected: near ?? "string" }', "return null"],
    ["value.findIndex((one) => !isScalar(one))", "-1"],
    ['op !== "in" && isScalar(value)', "isScalar(value)"],
    ["keys.length === 0 ? null : comparisonFault(node)", "comparisonFault(node)"],
    ["Array.isArray(node[group]) ? null", "node[group] ? null"],
    ["below.push(", "void ("],
    // How values are compared.
    ["Number.isFinite(value) ? new Decimal(value) : null", "null"],
    [
      "NUMERIC.test(value.trim()) ? new Decimal(value.trim()) : null",
      "NUMERIC.test(value.trim()) ? new Decimal(Number(value)) : null",
    ],
    ['typeof value === "string" && NUMERIC.test(value.trim())', "NUMERIC.test(String(Number(value)))"],
    ["if (isDeepStrictEqual(one, other)) return true;", ""],
    ["number !== null && otherNumber !== null && number.eq(otherNumber)", "number?.eq(otherNumber ?? 0) === true"],
    ["if (number && otherNumber) return number.cmp(otherNumber);", ""],
    ["return one < other ? -1 : Number(one > other)", "return one <= other ? -1 : 1"],
    ["return one < other ? -1 : Number(one > other)", "return one.localeCompare(other)"],
    ['if (typeof one !== "string" || typeof other !== "string") return null;', ""],
    ["if (Array.isArray(held)) return held.some((one) => equal(one, value));", ""],
    ["held.some((one) => equal(one, value))", "held.includes(value)"],
    ["held.toLowerCase().includes(value.toLowerCase())", "held.includes(value)"],
    ["held.toLowerCase().includes(value.toLowerCase())", "held.toLowerCase() === value.toLowerCase()"],
    ["ne: (held, value) => !equal(held, value)", "ne: (held, value) => held !== null && !equal(held, value)"],
    ["Array.isArray(value) && value.some((one) => equal(held, one))", "Array.isArray(value) && value.includes(held as never)"],
    ["Array.isArray(value) && value.some((one) => equal(held, one))", "[value].flat().some((one) => equal(held, one))"],
    ["(order(held, value) ?? 0) > 0", "(order(held, value) ?? 0) >= 0"],
    ["(order(held, value) ?? 0) > 0", "(order(held, value) ?? 1) > 0"],
    ["(order(held, value) ?? 0) < 0", "(order(held, value) ?? 0) <= 0"],
    ["(order(held, value) ?? 0) < 0", "(order(held, value) ?? -1) < 0"],
    // Groups, and fields.
    ["if (all) return all.every(", "if (all) return all.some("],
    ["if (any) return any.some(", "if (any?.length) return any.some("],
    ["if (any) return any.some(", "if (any) return any.every("],
    ["op === undefined) return true", "op === undefined) return false"],
    ["Object.hasOwn(facts, field) ? (facts[field] ?? null) : null", "(facts[field] ?? null)"],
    ["(facts[field] ?? null) : null", "(facts[field] ?? null) : undefined"],
  ]),
];

/** The conditions of rules; at least 95 % must be noticed. */
export const check: MutationCheck = {
  mutants: MUTANTS,
  tests: ["test/unit/automation/*.test.ts"],
  survivors: 0.05,
};
