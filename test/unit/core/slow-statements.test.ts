import { expect } from "chai";
import { type SlowStatements, timed, watchSlowStatements } from "../../../core/database/connection/slow-statements.ts";
import { requestStore, runRequest } from "../../../core/request/context.ts";
import { counted } from "../../../core/request/statement-count.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { type Bound, statement } from "../../../core/sql/statement.ts";

const bound = (text: string, ...values: unknown[]): Bound => [statement(text), values];
const ENTER = bound("select set_config('app.organisation_id', $1::uuid::text, true)", "an organisation");
const [BEGIN, COMMIT] = [bound("begin"), bound("commit")];

describe("the report of slow statements", () => {
  let reported: SlowStatements[];
  beforeEach(() => {
    reported = [];
    // Below what any message takes.
    watchSlowStatements(Number.MIN_VALUE, (slow) => reported.push(slow));
  });
  after(() => watchSlowStatements(0, () => {}));

  const send = (...message: Bound[]) => timed(message, () => new Promise<string>((resolve) => setImmediate(resolve, "rows")));
  const organisation = { id: "o" } as Parameters<typeof systemRequest>[1];

  it("has the texts without values, and leaves out what opens and closes a transaction", async () => {
    expect(
      await send(BEGIN, ENTER, bound("select $1::text", "a value"), bound("update a set b = $1", "hidden"), COMMIT),
    ).to.equal("rows");
    const [{ ms, ...rest } = { ms: Number.NaN }] = reported;
    expect(ms).to.be.at.least(0);
    const sql = ["select $1::text", "update a set b = $1"];
    expect([rest, reported.length]).to.deep.equal([{ action: null, requestId: null, statements: 2, sql }, 1]);
  });

  it("names a commit that carries nothing else", async () => {
    await send(COMMIT);
    expect(reported[0]).to.deep.include({ statements: 0, sql: ["commit"] });
  });

  it("shortens long texts and long messages", async () => {
    await send(...Array.from({ length: 8 }, (_, index) => bound(`select ${index} as "${"x".repeat(400)}"`)));
    const [slow] = reported;
    expect([slow?.statements, slow?.sql.length]).to.deep.equal([8, 5]);
    expect(slow?.sql.map(({ length }) => length)).to.deep.equal([301, 301, 301, 301, 301]);
    expect(slow?.sql[0]).to.match(/^select 0 as "x+…$/);
  });

  it("names the action and the request, or the job and its id", async () => {
    const store = { ...systemRequest("companies.list", organisation, "read"), requestId: "r-1" };
    await runRequest(requestStore(store), () => send(BEGIN));
    // The gateway looks the caller up before the action has a request of its own.
    await counted({ statements: 0, request: { requestId: "r-2", action: "tasks.list" } }, () => send(BEGIN));
    await counted({ statements: 0, request: { requestId: "r-3" } }, () => send(BEGIN));
    expect(reported.map(({ action, requestId }) => [action, requestId])).to.deep.equal([
      ["companies.list", "r-1"],
      ["tasks.list", "r-2"],
      [null, "r-3"],
    ]);
  });

  it("includes a message that fails, such as one that met the time limit", async () => {
    const failing = timed([bound("select 1")], () => Promise.reject(new Error("canceling statement due to statement timeout")));
    const error = await failing.catch(({ message }: Error) => message);
    expect([error, reported.length]).to.deep.equal(["canceling statement due to statement timeout", 1]);
  });

  it("is not made for quicker ones, and never at 0", async () => {
    for (const threshold of [3_600_000, 0]) {
      watchSlowStatements(threshold, (slow) => reported.push(slow));
      await send(bound("select 1"));
    }
    expect(reported).to.deep.equal([]);
  });
});
