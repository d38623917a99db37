import { type Mutant, type MutationCheck, of } from "./mutants.ts";

const MUTANTS: readonly Mutant[] = [
  ...of("core/bulk/values.ts", [
    ["if (!key) return", "if (!key && text !== null) return"],
    ["text?.trim() ?? ", "text ?? "],
    ['text?.trim() ?? ""', 'text?.trim() ?? "null"'],
    ['if (word !== "") return', "if (text !== null) return"],
    ["key.clearable ? { value: null }", "true ? { value: null }"],
    ["key.clearable ? { value: null }", "false ? { value: null }"],
    ['{ value: null } : { error: "errors.required" }', '{ value: "" } : { error: "errors.required" }'],
    ["Object.hasOwn(keys, name) ? keys[name] : undefined", "keys[name]"],
    ["const [first] = refused;", "const first = refused.at(-1);"],
    ['refusal("validation", first[1], ', 'refusal("validation", "errors.validation", '],
    ["Object.fromEntries(refused)", "Object.fromEntries([first])"],
    ["(keys[name] as BulkKey).field, reading.value", "name, reading.value"],
  ]),
  ...of("core/bulk/readers.ts", [
    ["words.includes(text) ?", "words.some((word) => word.startsWith(text)) ?"],
    ["words.includes(text) ?", "words.includes(text.toLowerCase()) ?"],
    ['["true", "ja", "yes", "1"]', '["true", "yes", "1"]'],
    ['["false", "nee", "no", "0"]', '["false", "nee", "no"]'],
    ["TRUTH.get(text.toLowerCase())", "TRUTH.get(text)"],
    ["value === undefined ? { error: ", "!value ? { error: "],
    ["isDate(text) ?", "/^\\d{4}-\\d\\d-\\d\\d$/.test(text) ?"],
    ["isDate(text) ?", "!Number.isNaN(Date.parse(text)) ?"],
  ]),
];

/** How the values of bulk updates are read; at least 95 % must be noticed. */
export const check: MutationCheck = {
  mutants: MUTANTS,
  tests: ["test/unit/core/bulk-*.test.ts"],
  survivors: 0.05,
};
