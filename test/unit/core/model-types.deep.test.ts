import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";

const ROOT = path.join(import.meta.dirname, "../../..");

/** A module as an author might write it; every line that ends in `// refused` is a mistake the compiler has to find, and no other is. */
const MODULE = `
import { column, type InsertOf, type RowOf, tenantModel, type UpdateOf } from "${ROOT}/core/database/model.ts";
import { differences, lock, queueInsert, queueUpdate } from "${ROOT}/core/database/write.ts";
import { unsealed } from "${ROOT}/core/database/sealed.ts";
import { action } from "${ROOT}/core/declare/action.ts";
import { NoData } from "${ROOT}/core/declare/event-stream.ts";
import { download } from "${ROOT}/core/declare/makers/download.ts";
import { htmlPage } from "${ROOT}/core/declare/makers/html-page.ts";
import { internal } from "${ROOT}/core/declare/makers/internal.ts";
import { oauthEndpoint } from "${ROOT}/core/declare/makers/oauth-endpoint.ts";
import { openAction } from "${ROOT}/core/declare/makers/open-action.ts";
import { passwordSignIn } from "${ROOT}/core/declare/makers/password-sign-in.ts";
import { stream } from "${ROOT}/core/declare/makers/stream.ts";
import { untenanted } from "${ROOT}/core/declare/makers/untenanted.ts";
import { integer, optional, Type, uuid } from "${ROOT}/core/schema/schema.ts";

const { decimal, integer: whole, sealed, text } = column;
const Task = tenantModel("tasks", {
  title: text(),
  status: text<"open" | "done">().withDefault(),
  note: text().orNull(),
  hours: decimal(6, 2).orNull(),
  position: whole().withDefault(),
  token: sealed().orNull(),
  search_text: text().byDatabase(),
});

queueInsert(Task, { title: "One" });
queueInsert(Task, { title: "One", status: "done", note: null, hours: "1.50", position: undefined });
queueInsert(Task, { status: "open" }); // refused
queueInsert(Task, { title: null }); // refused
queueInsert(Task, { title: "One", status: "gone" }); // refused
queueInsert(Task, { title: "One", titel: "Two" }); // refused
queueInsert(Task, { title: "One", search_text: "one" }); // refused
queueInsert(Task, { title: "One", organisation_id: "1" }); // refused
const body = { title: "One", assignee: "1" };
queueInsert(Task, body); // refused
queueInsert(Task, { ...body, status: "open" }); // refused
const { assignee: _assignee, ...own } = body;
queueInsert(Task, own);

queueUpdate(Task, "1", { note: null });
queueUpdate(Task, "1", { title: null }); // refused
queueUpdate(Task, "1", { position: "1" }); // refused
queueUpdate(Task, "1", { version: 2 }); // refused
queueUpdate(Task, "1", { colour: "red" }); // refused

const row = (await lock(Task, "1")) as RowOf<typeof Task>;
const { title, hours }: { title: string; hours: string | null } = row;
row.search_text; // refused
row.colour; // refused
unsealed(Task, row, "token");
unsealed(Task, row, "tokens"); // refused
const changed = differences(row, { title, note: "Two" });
if (changed) queueUpdate(Task, row.id, changed);
queueUpdate(Task, row.id, changed); // refused
export const whole1: InsertOf<typeof Task> = { title, hours };
export const part: UpdateOf<typeof Task> = { hours: 1.5 };

const about = { summary: "A task", permission: "companies.company.read" };
const [name, path] = [{ read: (id: string) => id }, { year: integer(2000, 2100) }];
action({ rest: "GET /tasks/:task_id", ...about, handler: (ctx) => name.read(ctx.params.task_id) });
action({ rest: "GET /tasks/:task_id", ...about, handler: (ctx) => ctx.params.company_id }); // refused
action({ rest: "GET /tasks", ...about, handler: (ctx) => ctx.params.task_id }); // refused
action({ rest: "GET /tasks/:task_id/of/:user_id", ...about, handler: ({ params }) => name.read(params.task_id + params.user_id) });
action({ rest: "GET /years/:year", ...about, path, handler: ({ params }) => params.year + 1 });
action({ rest: "GET /years/:year", ...about, path, handler: ({ params }) => name.read(params.year) }); // refused
action({ rest: "GET /tasks", ...about, query: { of: optional(uuid()) }, handler: ({ params }) => name.read(params.of) }); // refused
internal({ ...about, contributes: { tile: { entity: "company", key: "k", position: 1 } }, handler: ({ params }) => name.read(params.company_id) });

const [open, handler, form] = ["a task is nobody's", () => null, Type.Object({ title: Type.String() })] as const;
const rest = "GET /tasks" as const;
action({ rest, summary: "A task", handler }); // refused
action({ ...about, handler }); // refused
action({ rest, ...about, colour: "red", handler }); // refused
action({ rest, ...about, open, handler }); // refused
action({ rest, ...about, returnsFile: "image/*", handler }); // refused
action({ rest, ...about, ...{ returnsFile: "image/*" }, handler }); // refused
openAction({ rest, summary: "A task", open, handler });
openAction({ rest, ...about, open, handler }); // refused
openAction({ rest, summary: "A task", open, tool: { name: "a_task", description: "A task", takes: [] }, handler }); // refused
download({ rest, ...about, returnsFile: "image/*", handler });
download({ rest, summary: "A task", open, returnsFile: "image/*", handler });
download({ rest, ...about, open, returnsFile: "image/*", handler }); // refused
download({ rest, ...about, returnsFile: "image/*", returns: form, handler }); // refused
stream({ rest, ...about, streams: { done: NoData }, handler }); // refused
htmlPage({ page: rest, ...about, handler });
htmlPage({ page: rest, rest, ...about, handler }); // refused
internal({ rest, ...about, handler }); // refused
oauthEndpoint({ rest, summary: "A task", open, oauth: "invalid_request", body: form, handler });
oauthEndpoint({ rest, summary: "A task", open, oauth: "invalid_request", body: form, cookie: "task", handler }); // refused
passwordSignIn({ rest, summary: "A task", open, needs: "principal", handler }); // refused
untenanted({ rest, summary: "A task", open, returns: null, handler: async () => ({ status: 200 }) });
untenanted({ rest, summary: "A task", open, returns: null, everyClient: true, handler: async () => ({ status: 200 }) }); // refused
untenanted({ rest, summary: "A task", open, returns: null, handler }); // refused
`;

describe("the compiler's types of rows, writes, actions and parameters", function () {
  this.timeout(60_000);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "kantoor-types-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("refuses unknown columns, wrong types, unknown parameters and options of another maker, and nothing else", async () => {
    await writeFile(path.join(folder, "tasks.ts"), MODULE);
    await writeFile(path.join(folder, "package.json"), JSON.stringify({ type: "module" }));
    const config = {
      extends: path.join(ROOT, "tsconfig.json"),
      compilerOptions: { types: ["node"], typeRoots: [path.join(ROOT, "node_modules/@types")] },
      include: ["tasks.ts"],
    };
    await writeFile(path.join(folder, "tsconfig.json"), JSON.stringify(config));
    const compile = promisify(execFile)(process.execPath, [path.join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder]);
    const { stdout } = await compile.catch((error: { stdout: string }) => error);
    const found = [...stdout.matchAll(/^[^\n]*tasks\.ts\((\d+),/gm)].map(([, line]) => Number(line));
    const lines = MODULE.split("\n");
    const text = (line: number) => lines[line - 1] as string;
    const expected = lines.flatMap((line, index) => (line.endsWith("// refused") ? [index + 1] : []));
    expect([...new Set(found)].map(text), stdout).to.deep.equal(expected.map(text));
    expect(stdout.split("\n").filter((line) => line.includes("error TS") && !line.includes("tasks.ts("))).to.deep.equal([]);
  });
});
