/**
 * Mutation check of the conditions of rules: each mutant changes one rule in a temporary copy of the
 * files, and the unit tests must notice. Run: `node test/mutation/automation.ts [part of a file name]`. Exit 1 when fewer than 95 % are
 * killed, 2 when a mutant no longer fits its source or the tests are red without one.
 */
import { checkMutants, type Mutant } from "./mutants.ts";

const of = (file: string, mutants: readonly (readonly [source: string, replacement: string])[]): Mutant[] =>
  mutants.map(([source, replacement]) => [file, source, replacement]);

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
    ["Object.keys(node).length === keys.length && keys", "keys"],
    ['|| field === "" ||', "||"],
    ["|| !isOperator(op)", ""],
    ["return value.every(isScalar)", "return true"],
    ['isScalar(value) && op !== "in"', "isScalar(value)"],
    ["if (hasKeys(node) || isComparison(node)) continue", "if (isComparison(node)) continue"],
    ["if (!Array.isArray(group)) return false", "if (!group) return false"],
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

process.exitCode = checkMutants(
  {
    name: "automation",
    mutants: MUTANTS,
    copied: ["core", "integrations", "mixins", "services", "test/unit/automation"],
    tests: ["test/unit/automation/*.test.ts"],
    survivors: 0.05,
  },
  process.argv[2],
);
