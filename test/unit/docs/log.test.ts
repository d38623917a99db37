import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { logCalls, logCallsIn } from "../../support/log-calls.ts";

const PAGE = path.join(import.meta.dirname, "../../../docs/log.md");
const NAME = /^[a-z]+\.[a-z]+(?:_[a-z]+)*$/;
/** A row of the table: name, level, meaning, fields, what an operator does. */
const ROW = /^\| `([a-z_.]+)` \| (\w+) \| ([^|]+) \| ([^|]*) \| ([^|]+) \|$/gm;

describe("the events of the log", () => {
  const calls = logCalls();
  const rows = [...readFileSync(PAGE, "utf8").matchAll(ROW)].map(([, event, level, , fields]) => ({
    event: event as string,
    level: level as string,
    fields: [...(fields as string).matchAll(/`(\w+)`/g)].map(([, name]) => name as string).toSorted(),
  }));

  it("have a name of the form area.what_happened in every call", () => {
    expect(calls.filter(({ event }) => !NAME.test(event ?? "")).map(({ at }) => at)).to.deep.equal([]);
  });

  it("have one sentence per name", () => {
    const shared = [...Map.groupBy(calls, ({ event }) => event)]
      .filter(([, named]) => new Set(named.map(({ sentence }) => sentence)).size > 1)
      .map(([event]) => event);
    expect(shared).to.deep.equal([]);
  });

  it("are the rows of docs/log.md, with level and fields", () => {
    const facts = ({ event, level, fields }: (typeof rows)[number]) => `${event} ${level} ${fields.join(" ")}`.trim();
    const named = calls.flatMap(({ event, ...rest }) => (event === null ? [] : [facts({ ...rest, event })]));
    expect(rows.map(facts).toSorted()).to.deep.equal([...new Set(named)].toSorted());
  });

  it("are sorted in docs/log.md", () => {
    const names = rows.map(({ event }) => event);
    expect(names).to.deep.equal(names.toSorted());
  });

  it("are found in calls of every form", () => {
    const source =
      'const line = { event: "a.b", ms };\nthis.#logger.info(line, `up :)`);\n' +
      'run.logger?.warn(\n  { event: "c.d_e", error: text(error, ["x"]), ...line },\n  "one, two",\n);\nlogger.error("bare");';
    expect(logCallsIn(source, "file.ts")).to.deep.equal([
      { at: "file.ts:2", level: "info", event: "a.b", fields: ["ms"], sentence: "`up :)`" },
      { at: "file.ts:3", level: "warn", event: "c.d_e", fields: ["error", "ms"], sentence: '"one, two"' },
      { at: "file.ts:7", level: "error", event: null, fields: [], sentence: "" },
    ]);
  });
});
