import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { query, queryOne } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { answer, list, text } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";

const ONE = statement("select 1");
const proof = actor("proof.counted", {
  actions: {
    inner: action({
      rest: "GET /proof/inner",
      summary: "Takes three statements",
      permission: "companies.company.read",
      returns: list(answer("ProofCounted", { note: text(10) })),
      async handler() {
        await Promise.all([queryOne(ONE), queryOne(ONE)]);
        await new Promise((resolve) => setTimeout(resolve, 5));
        await query(ONE);
        return [];
      },
    }),
    outer: action({
      rest: "GET /proof/outer",
      summary: "Takes one of its own and those of another actor",
      permission: "companies.company.read",
      returns: list(answer("ProofCounted", { note: text(10) })),
      async handler(ctx) {
        await query(ONE);
        return ctx.call("proof.counted.inner", {});
      },
    }),
  },
});

describe("the number of statements of a call", () => {
  let service: TestService;
  let tenant: Tenant;

  before(async () => {
    // A limit of 20 takes a lease with every call.
    service = await startService({ SERVICE_RATE_LIMIT_PER_KEY: "20" }, [proof]);
    tenant = await service.tenant();
  });
  after(() => service.stop());

  it("is that of its action, of the actors this calls, and of the look at the caller", async () => {
    const newcomer = await tenant.member("owner");
    const counted = async (path: string) => (await newcomer.get(path)).statements;
    const first = await counted("/proof/inner");
    expect(first).to.equal(3 + 2);
    expect([await counted("/proof/inner"), await counted("/proof/outer")]).to.deep.equal([3, 4]);
  });

  it("is the call's own, during other calls", async () => {
    const callers: Caller[] = [];
    while (callers.length < 4) callers.push(await tenant.serviceAccount(["companies.company.read"]));
    const paths = ["/proof/inner", "/proof/outer", "/companies?limit=1", `/companies/${randomUUID()}`];
    for (const caller of callers) await caller.get("/proof/inner");
    const counted = await Promise.all(
      callers.flatMap((caller) => [0, 1].flatMap(() => paths.map(async (path) => (await caller.get(path)).statements))),
    );
    // A client that is not there may have been merged into another one, which the second statement looks up.
    expect(counted).to.deep.equal(Array(8).fill([3, 4, 1, 2]).flat());
  });

  it("of a write leaves out what brackets its transaction", async () => {
    const { id } = await tenant.company();
    // The row, locked; the change; its line in the trail; the row as it is answered.
    const { status, statements } = await tenant.owner.patch(`/companies/${id}`, { name: "Another" });
    expect([status, statements]).to.deep.equal([200, 4]);
  });

  it("is reported only if the setting asks for it", async () => {
    const plain = await startService({ SERVICE_COUNT_STATEMENTS: "false" });
    try {
      const { owner } = await plain.tenant();
      const { status, headers } = await owner.get("/companies");
      expect(status).to.equal(200);
      expect(headers).not.to.have.property("x-statements");
    } finally {
      await plain.stop();
    }
  });
});
