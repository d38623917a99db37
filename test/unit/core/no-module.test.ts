import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(import.meta.dirname, "../../..");
const read = (pattern: string) =>
  globSync(pattern, { cwd: ROOT }).map((file) => ({ file, code: readFileSync(path.join(ROOT, file), "utf8") }));

const core = read("core/**/*.ts");
const owned = read("{services,integrations}/**/*.ts");
const MODULES = globSync("{services,integrations}/*/module.ts", { cwd: ROOT }).map((file) => file.split("/")[1] as string);
const TABLES = owned.flatMap(({ code }) =>
  [...code.matchAll(/\b(?:tenantModel|model)\("(\w+)"/g)].map(([, table]) => table as string),
);

/** Words of core that are also the name of a module, each with what they mean. */
const WORDS: Record<string, string> = {
  "core/database/column.ts platform": "who fills a column",
  "core/declare/catalogue/requirements.ts mail": "a kind of declaration",
  "core/declare/report-sections.ts money": "how a value is printed",
  "core/mail/mail-now.ts mail": "what a mail server rejected",
  "core/outbound/guard/policy.ts automation": "a purpose of outbound addresses (conventions §17)",
  "core/outbound/guard/policy.ts ai": "a purpose of outbound addresses (conventions §17)",
  "core/outbound/guard/policy.ts uptime": "a purpose of outbound addresses (conventions §17)",
};
/** Tables of modules that statements of core name, each with the reason. The list only gets shorter. */
const STATEMENTS: Record<string, string> = {
  "core/custom-fields/definitions.ts custom_field_definitions": "custom values are checked in the write of every kind of record",
  "core/trail/trail.ts service_accounts": "the trail shows the name of whoever acted",
  "core/security/api-key.ts api_keys": "a key is checked before an actor is known",
};

/** The places where core matches, as "file name". */
const named = (pattern: RegExp): string[] => [
  ...new Set(core.flatMap(({ file, code }) => [...code.matchAll(pattern)].map(([, name]) => `${file} ${name}`))),
];

describe("core", () => {
  it("imports no actor and no mixin", () => {
    const found = named(/(?:from|import)\s*\(?"((?:\.\.\/)+(?:services|integrations|mixins|operator|cli)\/[^"]*)"/g);
    expect(found).to.deep.equal([]);
    expect(core.length).to.be.greaterThan(100);
  });

  it("mentions no file of a module", () => {
    expect(named(/\b((?:services|integrations)\/[a-z][\w/.-]*)/g)).to.deep.equal([]);
  });

  it("knows no module by its name", () => {
    expect(MODULES).to.include.members(["clients", "money", "uptime"]);
    expect(named(new RegExp(`["'](${MODULES.join("|")})["']`, "g")).sort()).to.deep.equal(Object.keys(WORDS).sort());
  });

  it("reads and writes the tables of modules only where that is listed with its reason", () => {
    expect(TABLES).to.include.members(["companies", "invoices", "api_keys"]);
    const statements = new RegExp(`\\b(?:from|join|into|update) (${TABLES.join("|")})\\b`, "g");
    expect(named(statements).sort()).to.deep.equal(Object.keys(STATEMENTS).sort());
  });
});
