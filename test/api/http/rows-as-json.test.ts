import { expect } from "chai";
import { queryAll } from "../../../core/database/query.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { jsonRows } from "../../../core/sql/json-rows.ts";
import { type Statement, statement, type TextRow, textStatement } from "../../../core/sql/statement.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { sharedService, type TestService } from "../../support/service.ts";

/** Values of every type in lists, some of them as awkward as possible. */
const VALUES: Record<string, readonly string[]> = {
  truth: ["true", "false"],
  small: ["7::int2", "(-7)::int2"],
  whole: ["0", "-2147483648"],
  large: ["9223372036854775807", "0::bigint"],
  real: ["0.1::float4", "'NaN'::float4", "'-Infinity'::float4", "1e30::float4"],
  double: ["1e-7::float8", "'Infinity'::float8", "123456789.125::float8"],
  numeric: ["1.50::numeric", "'NaN'::numeric", "(-0.001)::numeric", "12345678901234567890.123::numeric"],
  text: [`'plain'`, `''`, `'"quoted" and back\\slashed'`, `E'lines\\n\\ttabs \\x01\\x1f\\x7f'`, `'é 漢字 😀' || chr(8232)`],
  varchar: [`'short'::varchar(9)`, `'"'::varchar(9)`],
  date: ["'2024-02-29'::date", "'infinity'::date"],
  instant: [
    "'2024-02-29 23:59:59.123456+02'::timestamptz",
    "'2024-02-29 00:00:00Z'::timestamptz",
    "'infinity'::timestamptz",
    "'12024-01-01 00:00:00Z'::timestamptz",
  ],
  id: ["'018f2b4e-0000-7000-8000-00000000abcd'::uuid"],
  json: [`'{"a" : [1, "\\n"]}'::json`, `'[]'::json`],
  jsonb: [`'{"b": null, "a": {"c": "\\""}}'::jsonb`, `'null'::jsonb`],
};
const MOST = Math.max(...Object.values(VALUES).map(({ length }) => length));
/** As many rows as the longest list of values, and one in which nothing has a value. */
const ROWS = Array.from({ length: MOST + 1 }, (_, row) =>
  Object.values(VALUES).map((values) => (row < MOST ? (values[row % values.length] as string) : "null")),
);
const NAMES = Object.keys(VALUES);
const SOURCE = `(values ${ROWS.map((values) => `(${values.join()})`).join()}) v (${NAMES.join()})`;

describe("rows that become JSON in Node", () => {
  let service: TestService;
  let ask: <T>(work: () => Promise<T>) => Promise<T>;

  before(async () => {
    service = await sharedService();
    const { organisation } = await service.tenant();
    ask = (work) => inTenancy(() => systemRequest("test", organisation, "write"), work);
  });
  after(() => service.stop());

  const rowsOf = async (asked: Statement): Promise<TextRow[]> => (await queryAll([asked, []]))[0] as TextRow[];

  it("are the text that row_to_json makes, of every type, when the connection prepares the statement and when it has", async () => {
    const text = jsonRows(NAMES.map((name) => ({ name })));
    await ask(async () => {
      const expected = await queryAll([statement(`select row_to_json(v)::text as row from ${SOURCE}`), []]);
      const rows = `[${(expected[0] as { row: string }[]).map(({ row }) => row).join()}]`;
      const asked = textStatement(`select * from ${SOURCE}`);
      expect(text(await rowsOf(asked)), "prepared with it").to.equal(rows);
      expect(text(await rowsOf(asked)), "prepared before").to.equal(rows);
      expect(text(await rowsOf(textStatement(`select 1 as first, * from ${SOURCE}`)), 1), "after another column").to.equal(rows);
    });
  });

  it("have their common values among the properties, and decimals as strings", async () => {
    const text = jsonRows([
      { name: "none", fixed: "[]" },
      { name: "amount", isDecimal: true },
      { name: "it's", fixed: '"x"' },
      { name: "count" },
      { name: "end", fixed: "false" },
    ]);
    const rows = await ask(() => rowsOf(textStatement("select * from (values (1.50, 3), (null, 4)) v (amount, count)")));
    expect(text(rows)).to.equal(
      `[{"none":[],"amount":"1.50","it's":"x","count":3,"end":false},{"none":[],"amount":null,"it's":"x","count":4,"end":false}]`,
    );
    expect(text([])).to.equal("[]");
  });

  it("are refused if PostgreSQL's text of a value is not JSON", async () => {
    const text = jsonRows([{ name: "words" }]);
    for (const value of ["array['a']", "array[1]", "row(1, 2)"]) {
      const rows = await ask(() => rowsOf(textStatement(`select ${value} as words`)));
      expect(() => text(rows), value).to.throw(/^words: /);
    }
  });
});

describe("a page of a list that holds nothing", () => {
  let service: TestService;

  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  it("counts all the same, and without a count the rows on it", async () => {
    const { owner } = await service.tenant();
    for (const query of ["", "?q=nothing"])
      expect((await owner.get(`/companies${query}`)).body).to.deep.include({ items: [], total: 0 });
    for (const name of ["One", "Two"]) await owner.post("/companies", { name });
    const page = async (query: string) => {
      const { items, total } = (await owner.get(`/companies?limit=5${query}`)).body as { items: object[]; total: number };
      return [items.length, total];
    };
    expect(await page("")).to.deep.equal([2, 2]);
    expect(await page("&offset=2")).to.deep.equal([0, 2]);
    expect(await page("&offset=2&q=o")).to.deep.equal([0, 2]);
    expect(await page("&offset=2&count=false")).to.deep.equal([0, 0]);
    expect(await page("&offset=1&count=false")).to.deep.equal([1, 1]);
  });
});
