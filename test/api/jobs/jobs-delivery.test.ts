import { expect } from "chai";
import { query } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { forbidden } from "../../../core/errors/errors.ts";
import { JobFailure } from "../../../core/errors/job-failure.ts";
import { type JobPayload, job, type OrganisationRun, schedule } from "../../../core/jobs/jobs.ts";
import { answer, flag, input, integer, json, optional, text, uuid } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { settled, until } from "../../support/jobs.ts";
import { noneInTransaction } from "../../support/open-transactions.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

type Handler = (run: OrganisationRun) => Promise<unknown>;

const Asked = answer("ProofAsked", { id: uuid() });
const COMPANIES = statement("select id, name from companies where organisation_id = $1 order by name");

/** The next runs of `proof.job`, by the payload's `kind`. */
const handlers = new Map<string, Handler>();
const ran: { id: string; kind: string; attempt: number; at: number }[] = [];
const note = (run: OrganisationRun) =>
  ran.push({ id: run.id, kind: run.payload["kind"] as string, attempt: run.attempt, at: Date.now() });

const handle: Handler = async (run) => {
  note(run);
  await handlers.get(run.payload["kind"] as string)?.(run);
};
const about = "Does what the test says";
const retry = { attempts: 3, backoff: { first: 30, factor: 2 } };

const proof = actor("proof.jobs", {
  actions: {
    ask: action({
      rest: "POST /proof/jobs",
      summary: "Schedules a job",
      permission: "companies.company.write",
      body: input("ProofJob", {
        name: optional(text(40)),
        payload: json(),
        refuse: optional(flag()),
        key: optional(text(40)),
        dedupe: optional(text(40)),
        wait: optional(integer(0, 60_000)),
      }),
      returns: Asked,
      async handler(ctx) {
        const { name = "proof.job", payload, refuse, key, dedupe, wait } = ctx.params.body;
        const runAt = wait === undefined ? {} : { runAt: new Date(Date.now() + wait) };
        const id = schedule(name, payload as JobPayload, { ...(key && { key }), ...(dedupe && { dedupe }), ...runAt });
        if (refuse) throw forbidden();
        return { id };
      },
    }),
  },
  jobs: {
    "proof.job": job({ about, retry, handler: handle }),
    "proof.short": job({ about, retry, timeout: 400, handler: handle }),
    "proof.single": job({ about, retry, dedupe: "end", handler: handle }),
  },
});

const settings = {};

describe("a scheduled job", () => {
  let service: TestService;
  let tenant: Tenant;
  let count = 0;
  before(async () => {
    service = await startService(settings, [proof]);
    tenant = await service.tenant();
  });
  after(() => service.stop());

  /** A kind of its own for each test, with what its runs do. */
  const kindOf = (handler: Handler = async () => {}): string => {
    const kind = `kind-${++count}`;
    handlers.set(kind, handler);
    return kind;
  };
  const runsOf = (kind: string) => ran.filter((run) => run.kind === kind);
  const ask = async (kind: string, options: object = {}): Promise<string> => {
    const { status, body, text: raw } = await tenant.owner.post("/proof/jobs", { payload: { kind }, ...options });
    expect(status, raw).to.equal(201);
    return body.id;
  };
  const rowOf = async (id: string) => (await service.sql.query("select * from jobs.agenda_jobs where id = $1", [id])).rows[0];

  it("runs once after the commit, with its id, and leaves no row", async () => {
    const kind = kindOf();
    const id = await ask(kind);
    await until(() => runsOf(kind).length > 0);
    await settled(service);
    expect(runsOf(kind).map(({ id: runId, attempt }) => [runId, attempt])).to.deep.equal([[id, 1]]);
    expect(await rowOf(id)).to.equal(undefined);
    expect((await service.sql.query("select 1 from outbox")).rowCount).to.equal(0);
  });

  it("does not exist when the request is rolled back", async () => {
    const kind = kindOf();
    expect((await tenant.owner.post("/proof/jobs", { payload: { kind }, refuse: true })).status).to.equal(403);
    await ask(kindOf());
    await settled(service);
    expect(runsOf(kind)).to.deep.equal([]);
  });

  it("is refused with more than kinds and ids, so that no secret gets into a job", async () => {
    for (const payload of [
      { api_token: "x" },
      { Password: "x" },
      { note: "x".repeat(201) },
      { list: [{ id: 1 }] },
      { deep: { id: 1 } },
    ])
      expect((await tenant.owner.post("/proof/jobs", { payload })).status, JSON.stringify(payload)).to.equal(500);
    expect((await service.sql.query("select 1 from outbox")).rowCount).to.equal(0);
  });

  it("does not run before its time, and soon after it without a poll", async () => {
    const kind = kindOf();
    const asked = Date.now();
    const later = kindOf();
    await ask(later, { wait: 50_000 });
    await ask(kind, { wait: 500 });
    await until(() => runsOf(kind).length > 0);
    expect((runsOf(kind)[0]?.at as number) - asked).to.be.at.least(499);
    expect(runsOf(later)).to.deep.equal([]);
    await service.sql.query("delete from jobs.agenda_jobs where data->'payload'->>'kind' = $1", [later]);
  });

  it("runs as the system inside its organisation, in several short transactions, and holds no connection between them", async () => {
    const other = await service.tenant();
    await other.company({ name: "Not theirs" });
    const company = await tenant.company({ name: "Acme" });
    const seen: unknown[] = [];
    const kind = kindOf(async (run) => {
      seen.push((await run.read(() => query(COMPANIES, [run.organisation.id]))).map(({ name }) => name));
      // The node's own work may hold one for a moment; this job would hold it for good.
      await noneInTransaction(service);
      seen.push("none open");
      seen.push(await query(COMPANIES, [run.organisation.id]).catch((error: Error) => error.message));
      await run.write(async () => trail("company", company.id, "proofed"));
      await run.write(async () => trail("company", company.id, "proofed_again"));
      seen.push(
        await run.call("companies.get", { company_id: company.id }).then((found) => (found as { name: string }).name, String),
      );
    });
    await ask(kind);
    await until(() => seen.length === 4);
    await settled(service);
    expect(seen).to.deep.equal([["Acme"], "none open", "tenant data was accessed outside of a request", "Acme"]);
    const { rows } = await service.sql.query(
      "select action, actor_account_id, actor_name from activity where entity_id = $1 and action like 'proofed%' order by created_at",
      [company.id],
    );
    expect(rows).to.deep.equal([
      { action: "proofed", actor_account_id: null, actor_name: null },
      { action: "proofed_again", actor_account_id: null, actor_name: null },
    ]);
  });

  it("that schedules another in a write makes it exactly when that write commits", async () => {
    const [second, never] = [kindOf(), kindOf()];
    const kind = kindOf(async (run) => {
      await run.write(async () => schedule("proof.job", { kind: second }));
      await run
        .write(async () => {
          schedule("proof.job", { kind: never });
          throw new Error("no");
        })
        .catch(() => {});
    });
    await ask(kind);
    await until(() => runsOf(second).length > 0);
    await settled(service);
    expect(runsOf(never)).to.deep.equal([]);
  });

  describe("that fails", () => {
    it("is tried again with growing waits, then kept as a dead letter with its error", async () => {
      const kind = kindOf(() => Promise.reject(new Error("the provider said no, Authorization: Bearer abcdef123456")));
      const id = await ask(kind);
      await settled(service);
      const attempts = runsOf(kind);
      expect(attempts.map(({ attempt }) => attempt)).to.deep.equal([1, 2, 3]);
      expect((attempts[2]?.at as number) - (attempts[1]?.at as number)).to.be.at.least(48);
      const row = await rowOf(id);
      expect(row).to.include({ fail_count: 3, next_run_at: null, locked_at: null });
      expect(row.fail_reason).to.contain("the provider said no").and.not.contain("abcdef");
    });

    it("once, ends when the next attempt succeeds", async () => {
      const kind = kindOf(async (run) => {
        if (run.attempt === 1) throw new Error("not yet");
      });
      const id = await ask(kind);
      await settled(service);
      expect(runsOf(kind).map(({ attempt }) => attempt)).to.deep.equal([1, 2]);
      expect(await rowOf(id)).to.equal(undefined);
    });

    it("knows its last attempt, and gets no wait that a JobFailure names in vain", async () => {
      const last: boolean[] = [];
      const kind = kindOf(async (run) => {
        last.push(run.lastAttempt);
        throw new JobFailure("limited", 150);
      });
      await ask(kind);
      await settled(service);
      expect(last).to.deep.equal([false, false, true]);
      const [first, second] = runsOf(kind);
      expect((second?.at as number) - (first?.at as number), "not sooner than Retry-After").to.be.at.least(150);
    });

    it("for good is not tried again", async () => {
      const kind = kindOf(() => Promise.reject(new JobFailure("there is no such domain")));
      const id = await ask(kind);
      await settled(service);
      expect(runsOf(kind).length).to.equal(1);
      expect((await rowOf(id)).fail_reason).to.equal("there is no such domain");
    });

    it("by taking longer than its time is aborted by its signal and tried again", async () => {
      const aborted: string[] = [];
      const kind = kindOf(
        (run) =>
          new Promise((resolve) => {
            if (run.attempt > 1) return resolve(null);
            run.signal.addEventListener("abort", () => aborted.push(String(run.signal.reason)));
          }),
      );
      await ask(kind, { name: "proof.short" });
      await settled(service);
      expect(aborted).to.deep.equal(["Error: took longer than 400 ms"]);
      expect(runsOf(kind).map(({ attempt }) => attempt)).to.deep.equal([1, 2]);
    });
  });

  describe("with a dedupe text", () => {
    it("joins one that waits", async () => {
      const kind = kindOf();
      for (let n = 0; n < 5; n++) await ask(kind, { dedupe: "same", wait: 60_000 });
      await ask(kind, { dedupe: "other" });
      await until(async () => (await service.sql.query("select 1 from outbox")).rowCount === 0);
      await service.sql.query("update jobs.agenda_jobs set next_run_at = now() where data->'payload'->>'kind' = $1", [kind]);
      await settled(service);
      expect(runsOf(kind).length).to.equal(2);
    });

    it("brings forward the one it joins", async () => {
      const kind = kindOf();
      await ask(kind, { dedupe: kind, wait: 60_000 });
      await ask(kind, { dedupe: kind });
      await settled(service);
      expect(runsOf(kind).length).to.equal(1);
    });

    it("is created while another runs, which may have read old data by now", async () => {
      let release: (value?: unknown) => void = () => {};
      const kind = kindOf((run) =>
        run.attempt === 1 && runsOf(kind).length === 1 ? new Promise((resolve) => (release = resolve)) : Promise.resolve(),
      );
      await ask(kind, { dedupe: kind });
      await until(() => runsOf(kind).length === 1);
      await ask(kind, { dedupe: kind });
      await until(() => runsOf(kind).length === 2);
      release();
      await settled(service);
    });

    it("joins one that runs where the declaration says so", async () => {
      let release: (value?: unknown) => void = () => {};
      const kind = kindOf(() => new Promise((resolve) => (release = resolve)));
      await ask(kind, { name: "proof.single", dedupe: kind });
      await until(() => runsOf(kind).length === 1);
      await ask(kind, { name: "proof.single", dedupe: kind });
      await until(async () => (await service.sql.query("select 1 from outbox")).rowCount === 0);
      release();
      await settled(service);
      expect(runsOf(kind).length).to.equal(1);
    });

    it("of another organisation is another job", async () => {
      const other = await service.tenant();
      const kind = kindOf();
      await ask(kind, { dedupe: "same", wait: 200 });
      await other.owner.post("/proof/jobs", { payload: { kind }, dedupe: "same", wait: 200 });
      await settled(service);
      expect(runsOf(kind).length).to.equal(2);
    });
  });

  describe("with a key", () => {
    it("runs after the one before it, in order, while other keys go on", async () => {
      const order: string[] = [];
      let together = 0;
      const kind = kindOf(async (run) => {
        expect(++together, "two at once").to.equal(1);
        await new Promise((resolve) => setTimeout(resolve, 15));
        order.push(run.id);
        together -= 1;
      });
      const other = kindOf();
      const ids: string[] = [];
      for (let n = 0; n < 6; n++) ids.push(await ask(kind, { key: "account-1" }));
      await ask(other, { key: "account-2" });
      await settled(service);
      expect(order).to.deep.equal(ids);
      expect(runsOf(other).length).to.equal(1);
    });

    it("waits for the attempts of the one before it, and continues when that is dead", async () => {
      const order: string[] = [];
      const first = kindOf(async (run) => {
        order.push(`first ${run.attempt}`);
        throw new Error("never");
      });
      const second = kindOf(async (run) => order.push(`second ${run.attempt}`));
      await ask(first, { key: "poisoned", wait: 50 });
      await ask(second, { key: "poisoned" });
      await settled(service);
      expect(order).to.deep.equal(["first 1", "first 2", "first 3", "second 1"]);
    });
  });
});
