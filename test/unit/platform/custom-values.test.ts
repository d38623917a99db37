import { expect } from "chai";
import { isPattern, matchesWhole } from "../../../core/custom-fields/pattern.ts";
import {
  type CustomDefinition,
  type CustomType,
  checkCustomValues,
  readCustomValues,
} from "../../../core/custom-fields/values.ts";

const field = (type: CustomType, config: CustomDefinition["config_json"] = {}, options: string[] = []): CustomDefinition => ({
  key: "field",
  data_type: type,
  required: false,
  config_json: config,
  options_json: options.map((value) => ({ value })),
});
const required = (definition: CustomDefinition): CustomDefinition => ({ ...definition, required: true });
const named = (key: string, definition: CustomDefinition): CustomDefinition => ({ ...definition, key });
const custom = (error: string) => `customfields.errors.${error}`;
const shown = (value: unknown) => JSON.stringify(value) ?? String(value);

const plain = field("text");
const short = field("text", { max: 3 });
const code = field("text", { regex: "[A-Z]{2}|\\d+" });
const range = field("number", { min: 1, max: 50 });
const plan = field("select", {}, ["basic", "pro"]);
const plans = field("multi_select", {}, ["basic", "pro", "gold"]);

/** The input, and its stored form. */
const stored: [what: string, definition: CustomDefinition, sent: unknown, kept: unknown][] = [
  ["text as typed", plain, " Anna ", " Anna "],
  ["several lines where they belong", field("long_text"), "one\ntwo", "one\ntwo"],
  ["a number as text", plain, 4.5, "4.5"],
  ["a boolean as text", plain, false, "false"],
  ["text as long as it may be, counted in characters", short, "😀😀😀", "😀😀😀"],
  ["text that its pattern describes whole", code, "NL", "NL"],
  ["text that the other branch describes whole", code, "123", "123"],
  ["a phone as text", field("phone"), "+31 30", "+31 30"],
  ["markdown without HTML", field("long_text"), "**a** <b>c</b>", "**a** c"],
  ["long text after its HTML is gone, by its length", field("long_text", { max: 1 }), "<i>a</i>", "a"],
  ["an integer", field("number"), 42, 42],
  ["numeric text", field("number"), "42", 42],
  ["numeric text with white space", field("number"), " -1.5 ", -1.5],
  ["numeric text with a power", field("number"), "1e3", 1000],
  ["an integral fraction", field("number"), "3.0", 3],
  ["a fraction with the digits a number holds", field("number"), "0.12345678901234568", 0.12345678901234568],
  ["a number without the zeros at its end", field("number"), `1.5${"0".repeat(40)}`, 1.5],
  ["zero, which is a value", field("number"), 0, 0],
  ["a negative zero", field("number"), "-0", 0],
  ["the least a range takes", range, 1, 1],
  ["the most a range takes", range, "50.0", 50],
  ["a range open above", field("number", { min: 1, max: null }), 1e15, 1e15],
  ["true", field("boolean"), true, true],
  ["false, which is a value", field("boolean"), false, false],
  ...["true", "1", "yes", "YES", " True "].map((text) => [`'${text}'`, field("boolean"), text, true] as never),
  ...["false", "0", "no", "No"].map((text) => [`'${text}'`, field("boolean"), text, false] as never),
  ["a date", field("date"), "2028-02-29", "2028-02-29"],
  ["a date with white space", field("date"), " 2026-03-02 ", "2026-03-02"],
  ["an instant", field("datetime"), "2026-03-02T09:30:00Z", "2026-03-02T09:30:00Z"],
  ["an instant with an offset", field("datetime"), "2026-03-02T09:30+01:00", "2026-03-02T08:30Z"],
  ["an instant without offset as UTC", field("datetime"), "2026-03-02T09:30", "2026-03-02T09:30Z"],
  ["an option", plan, "pro", "pro"],
  ["options in the order sent", plans, ["gold", "basic"], ["gold", "basic"]],
  ["an option once", plans, ["pro", "pro"], ["pro"]],
  ["an e-mail address", field("email"), " Anna@example.com ", "anna@example.com"],
  ["an absolute address", field("url"), " https://example.com/a?b#c ", "https://example.com/a?b#c"],
  ["an absolute address of another scheme", field("url"), "ftp://example.com", "ftp://example.com"],
];

/** The input, and the key of its refusal. */
const refused: [what: string, definition: CustomDefinition, sent: unknown, error: string][] = [
  ["a list for a text", plain, ["a"], custom("invalid_type")],
  ["an object for a text", plain, { a: 1 }, custom("invalid_type")],
  ["text that is too long", short, "abcd", custom("too_long")],
  ["a phone that is too long", field("phone", { max: 3 }), "1234", custom("too_long")],
  ["long text that is too long", field("long_text", { max: 3 }), "1234", custom("too_long")],
  ["text that begins like its pattern", code, "NLD", custom("pattern_mismatch")],
  ["text that ends like its pattern", code, "x1", custom("pattern_mismatch")],
  ["text with a line after it", code, "NL\n", custom("pattern_mismatch")],
  ["a phone that its pattern does not describe", field("phone", { regex: "\\d+" }), "+31", custom("pattern_mismatch")],
  ["a second line", plain, "one\r\ntwo", "errors.validation"],
  ["an escape", plain, "a\u001b[31mb", "errors.validation"],
  ["a second line of a phone", field("phone"), "1\n2", "errors.validation"],
  ["text for a number", field("number"), "many", custom("invalid_number")],
  ["a comma in a number", field("number"), "1,5", custom("invalid_number")],
  ["hexadecimal", field("number"), "0x10", custom("invalid_number")],
  ["infinity", field("number"), "Infinity", custom("invalid_number")],
  ["a number beyond all bounds", field("number"), "1e999", custom("invalid_number")],
  ["true for a number", field("number"), true, custom("invalid_number")],
  ["false for a number", field("number"), false, custom("invalid_number")],
  ["a list for a number", field("number"), [1], custom("invalid_number")],
  ["a number below its range", range, 0, custom("out_of_range")],
  ["a number above its range", range, 50.5, custom("out_of_range")],
  ["a whole number that would be rounded", field("number"), "12345678901234567890", custom("out_of_range")],
  ["a fraction that would be rounded", field("number"), "0.1234567890123456789", custom("out_of_range")],
  ["an amount that would be rounded", field("number"), " 12345678901234.5678 ", custom("out_of_range")],
  ["a number that would become zero", field("number"), "1e-400", custom("out_of_range")],
  ...[0, 1, 2].map((sent) => [`the number ${sent} for a boolean`, field("boolean"), sent, custom("invalid_boolean")] as never),
  ["other text for a boolean", field("boolean"), "maybe", custom("invalid_boolean")],
  ["a list for a boolean", field("boolean"), [true], custom("invalid_boolean")],
  ["a day that does not exist", field("date"), "2026-02-29", custom("invalid_date")],
  ["a date of another form", field("date"), "02-03-2026", custom("invalid_date")],
  ["an instant for a date", field("date"), "2026-03-02T09:30:00Z", custom("invalid_date")],
  ["a number for a date", field("date"), 20260302, custom("invalid_date")],
  ["a date for an instant", field("datetime"), "2026-03-02", custom("invalid_datetime")],
  ["an hour that does not exist", field("datetime"), "2026-03-02T25:00:00Z", custom("invalid_datetime")],
  ["a number for an instant", field("datetime"), 1, custom("invalid_datetime")],
  ["no option", plan, "gold", custom("invalid_option")],
  ["an option in other letters", plan, "Pro", custom("invalid_option")],
  ["a list for one option", plan, ["pro"], custom("invalid_option")],
  ["no option among options", plans, ["pro", "silver"], custom("invalid_option")],
  ["one option for a list", plans, "pro", custom("invalid_option")],
  ["no e-mail address", field("email"), "anna@", "errors.invalid_email"],
  ["a number for an e-mail address", field("email"), 1, "errors.invalid_email"],
  ["a bare host", field("url"), "example.com", "errors.invalid_url"],
  ["a relative address", field("url"), "/a", "errors.invalid_url"],
  ["an address with a space", field("url"), "https://example.com/a b", "errors.invalid_url"],
  ["a script", field("url"), "javascript://example.com/%0aalert(1)", "errors.invalid_url"],
  ["a file", field("url"), "file:///etc/passwd", "errors.invalid_url"],
];
const ABSENT = [undefined, null, "", " \t\n", []];

describe("custom values", () => {
  for (const [what, definition, sent, kept] of stored)
    it(`stores ${what} (${definition.data_type}): ${shown(sent)}`, () => {
      expect(checkCustomValues({ field: sent }, [definition])).to.deep.equal({ field: kept });
    });

  it("stores nothing other than it stored before", () => {
    for (const [what, definition, , kept] of stored)
      expect(checkCustomValues({ field: kept }, [definition]), what).to.deep.equal({ field: kept });
  });

  for (const [what, definition, sent, error] of refused)
    it(`refuses ${what} (${definition.data_type}): ${shown(sent)}`, () => {
      expect(readCustomValues({ field: sent }, [definition]).refused).to.deep.equal({ field: error });
    });

  for (const definition of [plain, field("long_text"), range, field("boolean"), field("date"), plan, plans, field("url")])
    for (const sent of ABSENT)
      it(`takes ${shown(sent)} for no ${definition.data_type}: not stored, and refused where one is required`, () => {
        expect(readCustomValues({ field: sent }, [definition])).to.deep.equal({ values: {}, refused: {} });
        expect(readCustomValues({ field: sent }, [required(definition)]).refused).to.deep.equal({ field: "errors.required" });
      });

  it("treats long text that was only HTML as empty", () => {
    const definition = required(field("long_text"));
    expect(readCustomValues({ field: "<p></p>" }, [definition])).to.deep.equal({
      values: {},
      refused: { field: "errors.required" },
    });
  });

  it("takes false and 0 for values where one is required", () => {
    const definitions = [required(named("agreed", field("boolean"))), required(named("seats", field("number")))];
    expect(checkCustomValues({ agreed: "no", seats: "0" }, definitions)).to.deep.equal({ agreed: false, seats: 0 });
  });

  describe("worked examples (platform chapter)", () => {
    const definitions = [required(named("plan", plan)), named("seats", range)];

    it("refuses a set without its required plan", () => {
      expect(readCustomValues({ seats: "12" }, definitions).refused).to.deep.equal({ plan: "errors.required" });
    });
    it("stores an integral number of seats", () => {
      expect(checkCustomValues({ plan: "pro", seats: 50.0 }, definitions)).to.deep.equal({ plan: "pro", seats: 50 });
    });
    it("is the complete set: omitted values are removed", () => {
      expect(checkCustomValues({ plan: "basic" }, definitions)).to.deep.equal({ plan: "basic" });
    });
    it("names everything that is wrong at once", () => {
      expect(readCustomValues({ plan: "gold", seats: 51, x: 1 }, definitions).refused).to.deep.equal({
        plan: custom("invalid_option"),
        seats: custom("out_of_range"),
        x: custom("unknown_field"),
      });
    });
  });

  it("refuses an undefined key, even without a value", () => {
    expect(readCustomValues({ x: null, y: "" }, [plain]).refused).to.deep.equal({
      x: custom("unknown_field"),
      y: custom("unknown_field"),
    });
  });

  it("is not misled by keys that every object has", () => {
    expect(readCustomValues({}, [required(named("constructor", plain))]).refused).to.deep.equal({
      constructor: "errors.required",
    });
    const { refused: reported } = readCustomValues(JSON.parse('{"__proto__": {"a": 1}, "toString": 1}'), []);
    expect(Object.keys(reported)).to.have.members(["__proto__", "toString"]);
  });
});

describe("patterns of custom fields", () => {
  it("are regular expressions with Unicode", () => {
    expect(["", "a|b", "^a$", "\\p{L}+", "(?<year>\\d{4})"].map(isPattern)).to.not.include(false);
    expect(["(", "[z-a]", "a{2,1}", "\\p{Nonsense}", "a)(b", "*"].map(isPattern)).to.not.include(true);
    expect(matchesWhole("\\p{L}+", "Zoë")).to.equal(true);
    expect(matchesWhole(".", "😀")).to.equal(true);
  });

  it("are those of RE2: what takes more than a walk over the value is refused", () => {
    const refused = ["(a)\\1", "(?<x>a)\\k<x>", "(?=a)a", "(?<!a)b", "(a{20}){20}", "a".repeat(1001), "\\p{Script=Greek}"];
    expect(refused.map(isPattern)).to.not.include(true);
  });

  it("demand nothing when an earlier version stored one that is no longer accepted", () => {
    expect(matchesWhole("(?=a)b", "anything")).to.equal(true);
    expect(matchesWhole("(", "anything")).to.equal(true);
  });

  it("walk over a value once, however they are nested", () => {
    for (const [pattern, value] of [
      ["^(a+)+N$", "a".repeat(10_000)],
      ["(b+)+", `${"b".repeat(5_000)}c`],
      ["(.*,){20}x", "a,b".repeat(500)],
    ] as const)
      expect(matchesWhole(pattern, value), pattern).to.equal(false);
  });

  it("share one budget of instructions times characters in a record", () => {
    const pattern = "[ab]*a[ab]{100}c";
    expect(matchesWhole(pattern, "ab".repeat(1_000))).to.equal(null);
    const budget = { left: 1_000 };
    expect([matchesWhole("a*", "a".repeat(100), budget), matchesWhole("a*", "a".repeat(100), budget)]).to.deep.equal([
      true,
      null,
    ]);
    const definitions = Array.from({ length: 100 }, (_, n) => named(`k${n}`, field("text", { regex: pattern })));
    const { refused } = readCustomValues(
      Object.fromEntries(definitions.map(({ key }) => [key, `${"ab".repeat(60)}c`])),
      definitions,
    );
    const reported = Object.values(refused);
    expect([reported[0], reported.at(-1)]).to.deep.equal([
      "customfields.errors.pattern_mismatch",
      "customfields.errors.too_long",
    ]);
  });

  it("are not needed to refuse forty thousand unknown keys: a hundred are named", () => {
    const sent = Object.fromEntries(Array.from({ length: 40_000 }, (_, n) => [`k${n}`, 1]));
    expect(Object.keys(readCustomValues(sent, []).refused)).to.have.length(100);
  });
});
