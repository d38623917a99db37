import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { enqueue, queryAll, queryOne } from "../../../core/database/query.ts";
import { isApiError, type RefusalParts } from "../../../core/errors/errors.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { statement } from "../../../core/sql/statement.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { until } from "../../support/jobs.ts";
import { sharedService, type TestService } from "../../support/service.ts";

/** More writes than wait for a read or the commit before they are sent. */
const MANY = 300;

describe("a transaction of very many writes", () => {
  let service: TestService;

  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  it("reports the cause of a failed write that was not awaited, not that the transaction is aborted since", async () => {
    const { organisation } = await service.tenant();
    const add = statement(
      "insert into companies (id, organisation_id, name, client_number) values (gen_random_uuid(), $1, 'A', 'K-1')",
    );
    const writing = inTenancy(
      () => systemRequest("test", organisation, "write"),
      async () => {
        for (let written = 0; written < MANY; written++) enqueue(add, [organisation.id]);
        await delay(50);
        await queryAll([statement("select 1"), []]);
      },
    );
    const error = await writing.catch((thrown: unknown) => thrown);
    expect(isApiError(error), String(error)).to.equal(true);
    expect(error).to.include({ code: 409, message: "errors.companies.client_number_taken" });
  });
});

describe("a write whose connection breaks", () => {
  const LOCK = 7_206_114;
  let service: TestService;
  let admin: pg.Client;

  before(async () => {
    service = await sharedService();
    admin = new pg.Client({ connectionString: service.database.superuser });
    await admin.connect();
    await admin.query("select pg_advisory_lock($1)", [LOCK]);
  });
  after(async () => {
    await admin.end();
    await service.stop();
  });

  /** The refusals of a write whose connection is ended while it waits for a lock, before its commit or in one message with it. */
  const refusedWith = async (when: "before" | "with"): Promise<unknown> => {
    const { organisation } = await service.tenant();
    let own: number | undefined;
    const writing = inTenancy(
      () => systemRequest("test", organisation, "write"),
      async () => {
        own = (await queryOne<{ pid: number }>(statement("select pg_backend_pid() as pid")))?.pid;
        const waits = statement("select pg_advisory_xact_lock_shared($1)");
        if (when === "with") enqueue(waits, [LOCK]);
        else await queryAll([waits, [LOCK]]);
      },
    ).catch((thrown: unknown) => thrown);
    const asWaiter = "select pid from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'";
    await until(async () => own !== undefined && (await admin.query(asWaiter, [own])).rowCount === 1);
    await admin.query("select pg_terminate_backend($1)", [own]);
    return writing;
  };

  for (const [when, undone] of [
    ["before", true],
    ["with", false],
  ] as const)
    it(`reports that ${undone ? "nothing" : "it is not known whether anything"} is kept, ${when} its commit`, async () => {
      const error = await refusedWith(when);
      expect(isApiError(error), String(error)).to.equal(true);
      expect(error).to.include({ code: 503, type: "unavailable" });
      expect((error as { data?: RefusalParts }).data?.undone).to.equal(undone);
    });
});
