import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { expect } from "chai";
import { type Commands, find } from "../../../sdk/cli/src/commands.ts";
import { complete } from "../../../sdk/cli/src/completion.ts";
import { readLine } from "../../../sdk/cli/src/flags.ts";
import { operationHelp } from "../../../sdk/cli/src/help.ts";
import { safeName, writeFile } from "../../../sdk/cli/src/output.ts";
import { run } from "../../../sdk/cli/src/run.ts";
import { columnsOf, record, table } from "../../../sdk/cli/src/table.ts";
import { nearest } from "../../../sdk/cli/src/usage.ts";
import { commandsOf } from "../../../sdk/generate/cli.ts";
import { modelOf } from "../../../sdk/generate/model.ts";
import { DOCUMENT } from "./small-document.ts";

const ROW = { type: "object" as const, required: ["name"] };
/** Commands with a flag of each kind. */
const COMMANDS: Commands = commandsOf(
  modelOf({
    ...DOCUMENT,
    tags: [{ name: "rows", "x-displayName": "Rows of the table" }],
    paths: {
      ...DOCUMENT.paths,
      "/rows/{row_id}/parts": {
        post: {
          operationId: "rowsPartsAdd",
          "x-sdk-name": "rows.parts.add",
          tags: ["rows"],
          summary: "Add a part",
          parameters: [
            { name: "row_id", in: "path", required: true, schema: { type: "string" } },
            { name: "to", in: "query", schema: { type: "string", enum: ["start", "end"] }, description: "Where. At the end." },
            { $ref: "#/components/parameters/If-Match" } as never,
          ],
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema: {
                  ...ROW,
                  properties: {
                    name: { type: "string" },
                    to: { type: "string" },
                    url: { type: ["string", "null"] },
                    unit_count: { type: ["integer", "null"] },
                    is_open: { type: "boolean" },
                    price: { anyOf: [{ type: "number" }, { type: "string" }] },
                    ids: { type: "array", items: { type: "string", format: "uuid" } },
                    notes: { type: "array", items: { type: "string" } },
                    place: { type: "object", properties: { x: { type: "number" } } },
                  },
                },
              },
            },
          },
          responses: { 200: { content: { "application/json": { schema: {} } } } },
        },
      },
      "/timer/start": {
        post: {
          operationId: "timerStart",
          "x-sdk-name": "rows.clock.timer.begin",
          responses: { 204: {} },
        },
      },
    },
  }),
);
const NAMES = Object.keys(COMMANDS.commands);
const noInput = () => Promise.resolve("");
const read = (name: string, args: string[], stdin = noInput) =>
  readLine(COMMANDS, COMMANDS.commands[name] as never, args, {}, stdin);
const add = (...args: string[]) => read("rows.parts.add", ["r-1", "--name", "a", ...args]);
const refused = async (line: Promise<unknown>): Promise<string> => {
  const error = await line.then(
    () => undefined,
    (one: Error) => one,
  );
  expect(error?.constructor.name).to.equal("UsageError");
  return (error as Error).message;
};

describe("the command line of users", () => {
  describe("finds an operation", () => {
    const cases: [string, object][] = [
      ["rows list", { kind: "operation", name: "rows.list", rest: [] }],
      ["rows file get r-1", { kind: "operation", name: "rows.file.get", rest: ["r-1"] }],
      ["rows begin", { kind: "operation", name: "rows.clock.timer.begin", rest: [] }],
      ["rows clock begin x", { kind: "operation", name: "rows.clock.timer.begin", rest: ["x"] }],
      ["rows", { kind: "group", prefix: "rows", names: NAMES }],
      ["rows fiel", { kind: "unknown", word: "fiel" }],
      ["begin", { kind: "unknown", word: "begin", near: ["rows"] }],
    ];
    for (const [line, found] of cases)
      it(line, () => {
        const { near: _near, ...plain } = find(NAMES, line.split(" ")) as { near?: string[] };
        const { near: _other, ...wanted } = found as { near?: string[] };
        expect(plain).to.deep.equal(wanted);
      });
    it("and names all that fit where several do", () => {
      expect(find(["a.b.go", "a.c.go"], ["a", "go"])).to.deep.equal({ kind: "several", names: ["a.b.go", "a.c.go"] });
    });
  });

  describe("reads flags", () => {
    it("of each kind, by both forms of their names", async () => {
      const words = "--unit_count -3 --no-is-open --price 10.50 --ids a,b --ids=c --notes x,y --notes z --to end --body-to here";
      const { path: values, query, body } = await add(...words.split(" "), "--place", '{"x":1}', "--url", "u");
      expect(values).to.deep.equal(["r-1"]);
      expect(query).to.deep.equal({ to: "end" });
      expect(body).to.deep.equal({
        name: "a",
        to: "here",
        url: "u",
        unit_count: -3,
        is_open: false,
        price: "10.50",
        ids: ["a", "b", "c"],
        notes: ["x,y", "z"],
        place: { x: 1 },
      });
    });
    it("with null, over a body from the standard input or a file", async () => {
      const given = '{"name":"b","url":"u","other":1}';
      const { body } = await read("rows.parts.add", ["r-1", "--body", "-", "--null", "url"], async () => given);
      expect(body).to.deep.equal({ name: "b", url: null, other: 1 });
      const folder = mkdtempSync(path.join(tmpdir(), "kantoor-cli-"));
      try {
        const file = path.join(folder, "body.json");
        writeFileSync(file, given);
        expect((await add("--body", `@${file}`)).body).to.deep.equal({ name: "a", url: "u", other: 1 });
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
    it("of the program where the operation has none of the name", async () => {
      expect((await add("--json", "--if-match", '"1"')).own).to.deep.equal({ json: ["true"], "if-match": ['"1"'] });
      expect((await add("--url", "u")).own).to.deep.equal({});
    });
    const wrong: [string, string[], RegExp][] = [
      ["an unknown one, with the near name", ["--unit-cuont", "3"], /no flag --unit-cuont; did you mean --unit-count\?/],
      ["a value that is none of its values", ["--to", "strat"], /--to has no value strat; did you mean start\?/],
      ["a text for a number", ["--unit-count", "3.5"], /--unit-count needs a whole number, not 3\.5/],
      ["a word for true and false", ["--is-open=yes"], /--is-open is true or false/],
      ["one without its value", ["--url", "--json"], /--url needs a value/],
      ["one twice", ["--url", "a", "--url", "b"], /--url is given more than once/],
      ["null for what cannot be null", ["--null", "price"], /cannot be null/],
      ["null for what the body does not have", ["--null", "urll"], /no such member; did you mean url\?/],
      ["JSON that is none", ["--place", "{"], /--place is not JSON/],
      ["a file that is not there", ["--place", "@/nowhere/x"], /cannot be read: ENOENT/],
      ["a word too many", ["more"], /more is one word too many/],
    ];
    for (const [title, args, message] of wrong)
      it(`and refuses ${title}`, async () => expect(await refused(add(...args))).to.match(message));
    it("and refuses a line without what is required", async () => {
      expect(await refused(read("rows.parts.add", ["r-1"]))).to.equal("--name is missing.");
      expect(await refused(read("rows.parts.add", ["--name", "a"]))).to.equal("<row-id> is missing.");
      expect(await refused(read("rows.list", ["--body", "{}"]))).to.equal("This operation has no body.");
    });
  });

  describe("completes", () => {
    const words = (...line: string[]) => complete(COMMANDS, line).map(([word]) => word);
    it("areas, commands, flags and values", () => {
      expect(words("")).to.include.members(["login", "rows"]);
      expect(words("ro")).to.deep.equal(["rows"]);
      expect(complete(COMMANDS, ["rows", "pa"])).to.deep.equal([["parts", ""]]);
      expect(complete(COMMANDS, ["rows", "parts", ""])).to.deep.equal([["add", "Add a part"]]);
      expect(complete(COMMANDS, ["rows", "parts", "add", "x", "--t"])).to.deep.equal([["--to", "Where."]]);
      expect(words("rows", "parts", "add", "x", "--to", "")).to.deep.equal(["start", "end"]);
      expect(words("rows", "parts", "add", "x", "--to=s")).to.deep.equal(["--to=start"]);
      expect(words("rows", "parts", "add", "x", "--null", "u")).to.deep.equal(["url", "unit_count"]);
      expect(words("completion", "")).to.deep.equal(["bash", "zsh", "fish"]);
    });
    it("no flag twice, except a list, and nothing where free text or a file belongs", () => {
      expect(words("rows", "parts", "add", "--is-open", "--i")).to.deep.equal(["--ids", "--if-match", "--idempotency-key"]);
      expect(words("rows", "parts", "add", "--ids", "a", "--id")).to.include("--ids");
      expect(words("rows", "parts", "add", "--name", "")).to.deep.equal([]);
      expect(words("rows", "parts", "add", "--body", "")).to.deep.equal([]);
    });
  });

  it("stops at names that are the same words", () => {
    const one = (name: string) => ({ get: { operationId: name, "x-sdk-name": name, responses: { 204: {} } } });
    const of = (...names: string[]) =>
      modelOf({ ...DOCUMENT, paths: Object.fromEntries(names.map((name) => [`/${name}`, one(name)])) });
    expect(() => commandsOf(of("rows.fromTime", "rows.from_time"))).to.throw("same words");
    expect(() => commandsOf(of("login.now"))).to.throw("login.now");
  });

  it("finds the nearest names", () => {
    expect(nearest("companeis", ["companies", "contacts"])).to.deep.equal(["companies"]);
    expect(nearest("q", ["limit", "cursor"])).to.deep.equal([]);
  });

  it("shows rows by the columns that say most, without what a terminal acts on", () => {
    const rows = [
      { id: "1", note: "x", name: "A\u001b[31m\nB", status: "open", parts: [] },
      { id: "2", note: "y", name: null, status: "closed", parts: [1] },
    ];
    expect(columnsOf(rows)).to.deep.equal(["id", "name", "status"]);
    expect(table(rows, ["id", "name", "status"], true)).to.equal("ID  NAME  STATUS\n1   A B   open\n2         closed\n");
    expect(record({ id: 1, deep: { a: [1] } })).to.equal('id    1\ndeep  {"a":[1]}\n');
  });

  it("writes a file under its proposed name into the folder alone, and never in place of another", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "kantoor-cli-"));
    const before = process.cwd();
    const out = Object.assign(new PassThrough(), { isTTY: true });
    const file = () => ({ filename: "../invoice.pdf", stream: new Blob(["%PDF"]).stream() });
    try {
      process.chdir(folder);
      await writeFile(file(), undefined, { out, err: new PassThrough() });
      expect(readFileSync(path.join(folder, "invoice.pdf"), "utf8")).to.equal("%PDF");
      const again = await writeFile(file(), undefined, { out, err: new PassThrough() }).catch((error: Error) => error.message);
      expect(again).to.equal("invoice.pdf cannot be written: EEXIST.");
    } finally {
      process.chdir(before);
      rmSync(folder, { recursive: true });
    }
  });

  it("takes no folder from a proposed name", () => {
    const cases = { "a/../../b.pdf": "b.pdf", "..": "download", "c:\\x\\d.pdf": "d.pdf", ".bashrc": "bashrc", "": "download" };
    for (const [name, safe] of Object.entries(cases)) expect(safeName(name), name).to.equal(safe);
  });

  it("shows help from the document, at each level", () => {
    const help = operationHelp(COMMANDS, "rows.parts.add");
    for (const line of [
      "kantoor rows parts add <row-id>",
      "  Add a part",
      "  --to <text>\n      Where. At the end.\n      One of start, end.",
      "  --unit-count <integer>  (can be null)",
      "  --place <json|@file>",
    ])
      expect(help).to.include(line);
  });

  describe("answers with an exit code", () => {
    const runs = async (client: object, ...args: string[]) => {
      const [out, err] = [new PassThrough(), new PassThrough()];
      const environment = { KANTOOR_URL: "http://localhost", KANTOOR_KEY: "kt_1", KANTOOR_CONFIG: "/nowhere/credentials.json" };
      const world = { commands: COMMANDS, client: () => client, environment, stdin: noInput, browse: () => undefined, out, err };
      const code = await run(world, args);
      return { code, out: String(out.read() ?? ""), err: String(err.read() ?? "") };
    };
    const kind = { rows: { parts: { add: (...given: unknown[]) => Promise.resolve(given) } } };

    it("0, after the call with path, body, query and options", async () => {
      const { code, out } = await runs(
        kind,
        "rows",
        "parts",
        "add",
        "r-1",
        "--name",
        "a",
        "--to",
        "end",
        "--if-match",
        "x",
        "--json",
      );
      expect([code, JSON.parse(out)]).to.deep.equal([0, ["r-1", { name: "a" }, { to: "end" }, { ifMatch: "x" }]]);
    });
    it("1 with code and fields when refused", async () => {
      const error = Object.assign(new Error("errors.validation"), {
        status: 422,
        code: "validation",
        fields: { name: "errors.blank" },
        details: {},
        requestId: "r-9",
      });
      const client = { rows: { parts: { add: () => Promise.reject(error) } } };
      const plain = await runs(client, "rows", "parts", "add", "r-1", "--name", "");
      expect(plain).to.deep.equal({
        code: 1,
        out: "",
        err: "kantoor: 422 validation: errors.validation\n  name  errors.blank\n  request r-9\n",
      });
      const asJson = await runs(client, "rows", "parts", "add", "r-1", "--name", "", "--json");
      expect(JSON.parse(asJson.err).error).to.include({ status: 422, code: "validation", request_id: "r-9" });
    });
    const wrong: [string[], RegExp][] = [
      [[], /A command is missing/],
      [["rwos", "list"], /no command rwos; did you mean rows\?/],
      [["rows", "parts", "ad"], /no command rows parts ad; did you mean add\?/],
      [["rows"], /group of commands/],
      [["--ulr", "x", "rows", "list"], /no flag --ulr before a command; did you mean --url\?/],
      [["rows", "parts", "add", "r", "--name", "a", "--all"], /--all is for lists/],
      [["rows", "parts", "add", "r", "--name", "a", "--idempotency-key", "k"], /does not take --idempotency-key/],
      [["request", "GET", "companies"], /request <method> <path>/],
      [["completion", "tcsh"], /bash\|zsh\|fish/],
      [["login", "--json"], /--json means nothing here/],
    ];
    for (const [args, message] of wrong)
      it(`2 for ${args.join(" ") || "nothing"}`, async () => {
        const { code, out, err } = await runs(kind, ...args);
        expect([code, out]).to.deep.equal([2, ""]);
        expect(err).to.match(message);
      });
    it("1 without a credential", async () => {
      const [out, err] = [new PassThrough(), new PassThrough()];
      const environment = { KANTOOR_URL: "http://localhost", KANTOOR_CONFIG: "/nowhere/credentials.json" };
      const world = { commands: COMMANDS, client: () => kind, environment, stdin: noInput, browse: () => undefined, out, err };
      expect(await run(world, ["rows", "parts", "add", "r", "--name", "a"])).to.equal(1);
      expect(String(err.read())).to.include("run kantoor login");
    });
  });
});
