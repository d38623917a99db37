import { expect } from "chai";
import {
  answer,
  choice,
  date,
  decimal,
  decimalInput,
  email,
  field,
  flag,
  input,
  instant,
  integer,
  isDangerousLink,
  isEmail,
  isLine,
  json,
  label,
  link,
  list,
  map,
  multiline,
  names,
  neverNull,
  nullable,
  optional,
  readInstant,
  type TProperties,
  type TSchema,
  Type,
  text,
  time,
  uuid,
} from "../../../core/schema/schema.ts";
import { type Check, compileBody, compileParameters, ofChange } from "../../../core/schema/validation.ts";

const ID = "01890000-0000-7000-8000-000000000000";
let schemas = 0;
const shape = (properties: TProperties) => input(`Shape${++schemas}`, properties);

/** The fields a check refuses, or null; `value` is what is left of the input. */
function refusedBy(schema: TSchema, value: unknown, post = true): Record<string, string> | null {
  try {
    const check: Check = compileBody(schema, post);
    check(value);
    return null;
  } catch (error) {
    return (error as { data: { fields: Record<string, string> } }).data.fields;
  }
}

describe("the fields of a refusal (conventions §9)", () => {
  const Line = shape({ amount: integer(0, 10), tags: optional(list(label(3))) });
  const Order = shape({
    name: label(5),
    mail: optional(email()),
    site: optional(Type.String({ format: "uri" })),
    lines: optional(list(Line)),
    labels: optional(map(text(3))),
    either: optional(nullable(Line)),
  });
  const table: [string, unknown, Record<string, string>][] = [
    ["a missing key", {}, { name: "errors.required" }],
    ["a missing key in a list element", { name: "a", lines: [{}] }, { amount: "errors.required" }],
    ["an e-mail", { name: "a", mail: "x" }, { mail: "errors.invalid_email" }],
    ["a URL", { name: "a", site: "not a url" }, { site: "errors.invalid_url" }],
    ["a length", { name: "abcdef" }, { name: "errors.validation" }],
    ["a type", { name: 1 }, { name: "errors.validation" }],
    ["a list element as a whole", { name: "a", lines: ["x"] }, { "0": "errors.validation" }],
    ["a later list element", { name: "a", lines: [{ amount: 1 }, 2] }, { "1": "errors.validation" }],
    ["a field of a list element", { name: "a", lines: [{ amount: 11 }] }, { amount: "errors.validation" }],
    ["an element deep inside", { name: "a", lines: [{ amount: 1, tags: ["ok", "long"] }] }, { "1": "errors.validation" }],
    ["a value of a map, by its key", { name: "a", labels: { nl: "long" } }, { nl: "errors.validation" }],
    ["a key with a slash and a tilde", { name: "a", labels: { "a/b~c": "long" } }, { "a/b~c": "errors.validation" }],
    ["a nullable object", { name: "a", either: { amount: 11 } }, { amount: "errors.validation" }],
    ["no object at all", [], { _: "errors.validation" }],
    ["null", null, { _: "errors.validation" }],
    [
      "all at once",
      { name: "abcdef", mail: "x", lines: [{ amount: 99 }] },
      { name: "errors.validation", mail: "errors.invalid_email", amount: "errors.validation" },
    ],
  ];
  for (const [name, value, wanted] of table)
    it(`name ${name}`, () => {
      expect(refusedBy(Order, value)).to.deep.equal(wanted);
    });

  it("are absent for a valid body", () => {
    expect(
      refusedBy(Order, {
        name: "abc",
        mail: "a@b.nl",
        site: "https://a.nl/x",
        lines: [{ amount: 1, tags: ["a"] }],
        either: null,
      }),
    ).to.equal(null);
  });
});

describe("decimals of a request", () => {
  const Hours = shape({ hours: optional(nullable(decimalInput({ decimalPlaces: null, exclusiveMinimum: 0, maximum: 80 }))) });
  const bad = { hours: "errors.validation" };
  const table: [unknown, Record<string, string> | null][] = [
    [7.5, null],
    ["7.5", null],
    ["80.00", null],
    [null, null],
    [0, bad],
    ["0.00", bad],
    ["80.01", bad],
    [81, bad],
    ["-1", bad],
    ["7,5", bad],
    ["1e2", bad],
    ["", bad],
    [true, bad],
  ];
  for (const [value, wanted] of table)
    it(`${wanted ? "refuse" : "take"} ${JSON.stringify(value)} within above 0 and 80`, () => {
      expect(refusedBy(Hours, { hours: value }, false)).to.deep.equal(wanted);
    });
});

describe("times of day", () => {
  const Window = shape({ at: optional(nullable(time())) });
  for (const value of ["00:00", "23:59", "08:30:15"])
    it(`take ${value}`, () => {
      expect(refusedBy(Window, { at: value })).to.equal(null);
    });
  for (const value of ["24:00", "8:30", "08:30Z", "08:30:00+01:00", "08:60", ""])
    it(`refuse '${value}'`, () => {
      expect(refusedBy(Window, { at: value })).to.deep.equal({ at: "errors.validation" });
    });
});

describe("absent and null", () => {
  const Patch = shape({
    name: optional(neverNull(nullable(label(9)))),
    city: optional(nullable(text(9))),
    status: optional(neverNull(nullable(choice(["a", "b"])))),
    kind: optional(choice(["x"])),
  });
  it("in a PATCH are different: null clears or is refused", () => {
    const body = { name: null, city: null, status: null, kind: null };
    expect(refusedBy(Patch, body, false)).to.deep.equal({
      name: "errors.validation",
      status: "errors.validation",
      kind: "errors.validation",
    });
    const cleared = { city: null };
    expect(refusedBy(Patch, cleared, false)).to.equal(null);
    expect(cleared).to.deep.equal({ city: null });
  });

  it("in a POST are the same on an optional field, at every depth; a required one is refused", () => {
    const Inner = shape({ must: label(9), may: optional(label(9)) });
    const Post = shape({ must: label(9), may: optional(label(9)), inner: optional(Inner), items: optional(list(Inner)) });
    const body = { must: "a", may: null, inner: { must: "b", may: null }, items: [{ must: "c", may: null }] };
    expect(refusedBy(Post, body)).to.equal(null);
    expect(body).to.deep.equal({ must: "a", inner: { must: "b" }, items: [{ must: "c" }] });
    expect(refusedBy(Post, { must: null })).to.deep.equal({ must: "errors.validation" });
  });

  it("fill in a default where there is one", () => {
    const body = {};
    refusedBy(shape({ status: optional(choice(["a", "b"], { default: "b" })) }), body);
    expect(body).to.deep.equal({ status: "b" });
  });
});

describe("unknown keys", () => {
  it("are dropped at every depth, but not from open maps", () => {
    const Inner = shape({ a: optional(label(9)) });
    const body = { inner: { a: "x", b: 1 }, custom: { b: 1 }, b: 1, constructor: 1, ["__proto__x"]: 1 };
    expect(refusedBy(shape({ inner: optional(Inner), custom: optional(json()) }), body)).to.equal(null);
    expect(Object.keys(body)).to.deep.equal(["inner", "custom"]);
    expect(body.inner).to.deep.equal({ a: "x" });
    expect(body.custom).to.deep.equal({ b: 1 });
  });
});

describe("formats", () => {
  const formats: [string, TSchema, unknown[], unknown[]][] = [
    ["uuid", uuid(), [ID, ID.toUpperCase()], ["", "x", `{${ID}}`, ID.replaceAll("-", ""), `${ID} `, 1]],
    [
      "date",
      date(),
      ["2024-02-29", "1999-12-31"],
      ["2023-02-29", "2024-13-01", "2024-1-1", "2024-01-01T00:00:00Z", "", 20240101],
    ],
    [
      "decimal",
      decimal(),
      ["0", "-1.50", "123456789012345.1234567890"],
      ["", "1,5", "1e3", ".5", "1.", "--1", "1234567890123456"],
    ],
    ["flag", flag(), [true, false], ["true", 1, null]],
    ["integer", integer(), [0, -2147483648, 2147483647], [1.5, "1", 2147483648, null]],
    ["choice", choice(["a", "b"]), ["a"], ["A", "", null, 1]],
    ["text", text(3), ["", "abc", "😀😀😀"], ["abcd", "😀😀😀😀", null]],
    ["label", label(3), ["a"], ["", "abcd"]],
    [
      "link",
      link(99),
      ["a.nl", "mailto:a@b.nl", "tel:1", "HTTPS://a.nl"],
      ["javascript:x", " data:x", "VBScript:x", "file:///x", "j\tavascript:x"],
    ],
  ];
  for (const [name, schema, right, wrong] of formats)
    it(`${name} accepts valid values and refuses invalid ones`, () => {
      for (const value of right) expect(refusedBy(shape({ value: schema }), { value }, false), String(value)).to.equal(null);
      for (const value of wrong)
        expect(refusedBy(shape({ value: schema }), { value }, false), String(value)).to.deep.equal({
          value: "errors.validation",
        });
    });
});

describe("an e-mail address", () => {
  for (const value of [
    "a@b.nl",
    "First.Last+tag@sub.example.co.uk",
    "o'brien@example.ie",
    "ü@example.nl",
    "a@xn--bcher-kva.example",
  ])
    it(`is ${value}`, () => expect(isEmail(value)).to.equal(true));
  for (const value of [
    "",
    "a",
    "a@b",
    "@b.nl",
    "a@",
    "a b@c.nl",
    "a@b..nl",
    "a@-b.nl",
    "a@b-.nl",
    "a@b.nl.",
    "a@@b.nl",
    "a,b@c.nl",
    '"a"@b.nl',
    "a\u0001@b.nl",
    "a\u0085@b.nl",
    `${"a".repeat(320)}@b.nl`,
  ])
    it(`is not '${value.slice(0, 20)}'`, () => expect(isEmail(value)).to.equal(false));
});

describe("a text of one line", () => {
  for (const value of ["", "Bakkerij De Zon", "Zoë 👩‍👩‍👧 א", "a\u00a0b", "نام‌ه"])
    it(`is ${JSON.stringify(value)}`, () => expect(isLine(value)).to.equal(true));
  for (const value of ["a\nb", "a\r", "\ta", "\u0000", "a\u001fb", "\u007f", "\u0085", "\u009b", "a\u2028b", "a\u2029b"])
    it(`is not ${JSON.stringify(value)}`, () => expect(isLine(value)).to.equal(false));

  it("is what texts, labels, links and names are, in a request; an answer shows what older rows hold", () => {
    const Line = shape({ text: text(9), label: label(9), link: link(9), names: names(), notes: multiline(9) });
    const sent = { text: "a\n", label: "a\n", link: "a\n", names: { nl: "a\n" }, notes: "a\nb" };
    const wrong = { text: "errors.validation", label: "errors.validation", link: "errors.validation", nl: "errors.validation" };
    expect(refusedBy(Line, sent)).to.deep.equal(wrong);
    const { properties } = answer("Shown", { text: text(9), key: text(9, { pattern: "^[a-z]*$" }) }) as unknown as {
      properties: Record<string, object>;
    };
    expect(properties["text"]).to.not.have.property("pattern");
    expect(properties["key"]).to.have.property("pattern", "^[a-z]*$");
  });
});

describe("an instant", () => {
  const table: [string, string | null][] = [
    ["2024-05-01T12:00:00Z", "2024-05-01T12:00:00Z"],
    ["2024-05-01T12:00:00", "2024-05-01T12:00:00Z"],
    ["2024-05-01 12:00", "2024-05-01T12:00Z"],
    ["2024-05-01t12:00:00z", "2024-05-01T12:00:00Z"],
    ["2024-05-01T12:00:00.123456Z", "2024-05-01T12:00:00.123456Z"],
    ["2024-05-01T12:00:00+02:00", "2024-05-01T10:00:00Z"],
    ["2024-05-01T12:00:00 02:00", "2024-05-01T10:00:00Z"],
    ["2024-05-01T12:00:00-0500", "2024-05-01T17:00:00Z"],
    ["2024-05-01T12:00:00.123456+05:45", "2024-05-01T06:15:00.123456Z"],
    ["2024-03-01T12:00:00+16:00", "2024-02-29T20:00:00Z"],
    ["2024-05-01T12:00:00-23:59", "2024-05-02T11:59:00Z"],
    ["2024-05-01T12:00:00+24:00", null],
    ["2024-05-01T12:00:00+12:60", null],
    ["0001-01-01T00:30:00+01:00", null],
    ["9999-12-31T23:30:00-01:00", null],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"],
    ["2023-02-29T00:00:00Z", null],
    ["2024-13-01T00:00:00Z", null],
    ["2024-05-01T24:30:00Z", null],
    ["2024-05-01T12:60:00Z", null],
    ["2024-05-01", null],
    ["12:00", null],
    ["yesterday", null],
    ["", null],
    ["20240501T120000Z", null],
  ];
  for (const [value, wanted] of table)
    it(`'${value}' is ${wanted ?? "none"}`, () => {
      expect(readInstant(value)).to.equal(wanted);
    });

  it("is read on the clock of a zone where it names no offset", () => {
    const read = (value: string) => readInstant(value, "Europe/Amsterdam");
    expect(read("2026-05-04T09:30:15.25")).to.equal("2026-05-04T07:30:15.25Z");
    expect(read("2026-05-04T09:30")).to.equal("2026-05-04T07:30Z");
    expect(read("2026-05-04T09:30Z")).to.equal("2026-05-04T09:30Z");
    expect(read("2026-05-04T09:30-02:00")).to.equal("2026-05-04T11:30Z");
    // A skipped time moves an hour on, of a doubled one the first counts.
    expect(read("2026-03-29T02:30")).to.equal("2026-03-29T01:30Z");
    expect(read("2026-10-25T02:30")).to.equal("2026-10-25T00:30Z");
    expect(read("2026-02-30T09:30")).to.equal(null);
  });
});

describe("a dangerous link", () => {
  for (const value of [
    "javascript:alert(1)",
    "JaVaScRiPt:x",
    " java\nscript:x",
    "\u0000javascript:x",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "java\u00a0script:x",
  ])
    it(`is ${JSON.stringify(value)}`, () => expect(isDangerousLink(value)).to.equal(true));
  for (const value of ["https://a.nl/?x=javascript:1", "example.nl", "javascripts.nl", "mailto:a@b.nl", "data.nl", "", "/file:x"])
    it(`is not ${JSON.stringify(value)}`, () => expect(isDangerousLink(value)).to.equal(false));
});

describe("ids", () => {
  const CAPITALS = ID.toUpperCase();

  it("are read in lower case wherever a body has them, and texts that look like one stay", () => {
    const check: Check = compileBody(
      shape({
        id: uuid(),
        parent: optional(nullable(uuid())),
        people: optional(list(uuid())),
        rows: optional(list(Type.Object({ id: uuid(), title: text(80) }))),
        note: optional(text(80)),
      }),
      true,
    );
    const body = {
      id: CAPITALS,
      parent: CAPITALS,
      people: [CAPITALS, ID],
      rows: [{ id: CAPITALS, title: CAPITALS }],
      note: CAPITALS,
    };
    check(body);
    expect(body).to.deep.equal({ id: ID, parent: ID, people: [ID, ID], rows: [{ id: ID, title: CAPITALS }], note: CAPITALS });
  });

  it("are read in lower case from path and query", () => {
    const read = compileParameters({ task_id: uuid(), user_ids: optional(list(uuid())), q: optional(text(80)) }, ["task_id"]);
    expect(read({ task_id: CAPITALS, user_ids: [CAPITALS], q: CAPITALS })).to.deep.equal({
      task_id: ID,
      user_ids: [ID],
      q: CAPITALS,
    });
    expect(() => read({ task_id: "X" })).to.throw();
  });
});

describe("parameters of path and query", () => {
  const read = compileParameters(
    {
      limit: optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
      count: optional(flag(true)),
      since: optional(instant()),
      id: uuid(),
      cost: optional(Type.Number({ minimum: 0 })),
    },
    ["id"],
  );
  const fieldsOf = (raw: Record<string, string>) => {
    try {
      read(raw);
      return null;
    } catch (error) {
      return (error as { data: { fields: unknown } }).data.fields;
    }
  };
  it("become the schema's form, with defaults, and lose unknown keys", () => {
    expect(read({ id: ID, limit: "7", count: "False", since: "2024-05-01T12:00:00", other: "x" })).to.deep.equal({
      id: ID,
      limit: 7,
      count: false,
      since: "2024-05-01T12:00:00",
    });
    expect(read({ id: ID })).to.deep.equal({ id: ID, limit: 50, count: true });
  });
  for (const count of ["true", "TRUE", "1"])
    it(`read ${count} as true`, () => expect(read({ id: ID, count })["count"]).to.equal(true));
  for (const count of ["false", "False", "0"])
    it(`read ${count} as false`, () => expect(read({ id: ID, count })["count"]).to.equal(false));
  for (const [raw, field] of [
    [{ id: "x" }, "id"],
    [{ id: ID, limit: "0" }, "limit"],
    [{ id: ID, limit: "201" }, "limit"],
    [{ id: ID, limit: "1.0" }, "limit"],
    [{ id: ID, limit: " 1" }, "limit"],
    [{ id: ID, limit: "1e1" }, "limit"],
    [{ id: ID, limit: "" }, "limit"],
    [{ id: ID, count: "yes" }, "count"],
    [{ id: ID, count: "toString" }, "count"],
    [{ id: ID, since: "x" }, "since"],
    [{ id: ID, cost: "-0.5" }, "cost"],
    [{ id: ID, cost: "1e1" }, "cost"],
    [{ id: ID, cost: ".5" }, "cost"],
    [{ id: ID, cost: "5." }, "cost"],
    [{ id: ID, cost: "1.2.3" }, "cost"],
    [{ id: ID, cost: "1234567890123456.7" }, "cost"],
  ] as const)
    it(`refuse ${JSON.stringify(raw)}`, () => {
      expect(fieldsOf(raw)).to.deep.equal({ [field]: "errors.validation" });
    });
  for (const [cost, value] of [
    ["12", 12],
    ["12.50", 12.5],
    ["0.1", 0.1],
    ["123456789012.34", 123456789012.34],
  ] as const)
    it(`read the decimal ${cost}`, () => expect(read({ id: ID, cost })["cost"]).to.equal(value));
  it("name a missing one as required, several at once", () => {
    expect(fieldsOf({ limit: "0" })).to.deep.equal({ id: "errors.required", limit: "errors.validation" });
  });
});

describe("a body of a change (conventions §9)", () => {
  const Shared = input("SharedBody", {
    name: label(20),
    ttl: optional(integer(1, 86_400, { default: 1 })),
    parts: optional(list(input("SharedPart", { proxied: optional(flag(false)) }))),
  });

  it("fills in no default of a key that is not sent, and those of the elements that are", () => {
    const check = compileBody(ofChange(Shared), false) as Check;
    const sent: unknown = { name: "a", parts: [{}] };
    check(sent);
    expect(sent).to.deep.equal({ name: "a", parts: [{ proxied: false }] });
  });

  it("leaves the schema as it is for the POST that shares it", () => {
    ofChange(Shared);
    const sent: unknown = { name: "a" };
    (compileBody(Shared, true) as Check)(sent);
    expect(sent).to.deep.equal({ name: "a", ttl: 1 });
  });

  it("refuses values against the schema", () => {
    const check = compileBody(ofChange(Shared), false) as Check;
    expect(() => check({ name: "a", ttl: 0 })).to.throw();
    expect(() => check({ ttl: 5 })).to.throw();
  });
});

describe("descriptions of fields", () => {
  const texts = { rate: "A percentage", note: "Of no field here", kind: "Not this one" };
  const shape = input(
    `Described${schemas++}`,
    {
      name: field(optional(nullable(label(10))), "As people call it"),
      rate: optional(decimal()),
      kind: choice(["a"], { description: "Its own" }),
    },
    texts,
  );

  it("leave a field as optional or required as it was", () => expect(shape.required).to.deep.equal(["kind"]));

  it("come by name, and a field that has one keeps it", () => {
    const shown = Object.values(shape.properties).map((one) => (one as { description?: string }).description);
    expect(shown).to.deep.equal(["As people call it", "A percentage", "Its own"]);
  });
});
