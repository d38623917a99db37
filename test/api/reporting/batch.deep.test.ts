import { expect } from "chai";
import { counted, type Tally } from "../../../core/request/statement-count.ts";
import { RUN_STEPS, type RunStep } from "../../../services/reporting/runs/run-steps.ts";
import { collectedHeap } from "../../support/heap.ts";
import { settled, until } from "../../support/jobs.ts";
import { MailWorld } from "../../support/mail/mail-world.ts";
import { BATCH, enableReporting, GENERATE, restoreFigures, visits, withFigures } from "./report-world.ts";
import { ok, type Row } from "./reporting-world.ts";

/** How many clients the agency has. `REPORTING_BATCH_CLIENTS=300` before a release. */
const CLIENTS = Number(process.env["REPORTING_BATCH_CLIENTS"] ?? 30);
/** Bytes by which the heap may grow from the first twenty reports of a batch to the last twenty. */
const HEAP_GROWTH = 4 * 2 ** 20;
/** SQL statements of a run that mails two recipients. */
const STATEMENTS = 58;
const JANUARY = { period_start: "2026-01-01", period_end: "2026-01-31" };

/**
 * Counts the SQL statements of each report's run, by the client's name, and measures the heap after every tenth run.
 * @returns the counts, the bytes of the heap, and what puts the steps back
 */
function countSteps(): { counts: Map<string, Tally>; heaps: number[]; restore: () => void } {
  const counts = new Map<string, Tally>();
  const heaps: number[] = [];
  let ended = 0;
  const steps = RUN_STEPS as [string, RunStep][];
  const own = [...steps];
  for (const [at, [name, step]] of own.entries())
    steps[at] = [
      name,
      async (run, report) => {
        const tally = counts.get(report.company_name) ?? { statements: 0 };
        counts.set(report.company_name, tally);
        await counted(tally, () => step(run, report));
        if (at < own.length - 1 || ++ended % 10 > 0) return;
        heaps.push(collectedHeap());
      },
    ];
  return { counts, heaps, restore: () => steps.splice(0, steps.length, ...own) };
}

describe("the reports of a month, of all clients at once (workspace-reporting §1.5)", function () {
  this.timeout(1_800_000);
  const world = new MailWorld();
  let restore = () => {};
  before(() => world.start({ SERVICE_PDF_TIMEOUT_MS: "120000" }));
  beforeEach(async () => {
    await world.renew();
    await enableReporting(world.service, world.tenant);
    withFigures({ "marketing.traffic_channels": async () => visits(120) });
  });
  afterEach(() => {
    restore();
    restoreFigures();
  });
  after(() => world.stop());

  const owner = () => world.tenant.owner;
  const nameOf = (number: number) => `Client ${number}`;
  const addressesOf = (number: number) => [`anna@client${number}.test`, `bram@client${number}.test`];
  const enrol = async (number: number) => {
    const { id } = await world.tenant.company({ name: nameOf(number) });
    const recipients = addressesOf(number).map((email) => ({ email }));
    await ok(owner().put(`/reporting/companies/${id}/profile`, { recipients, schedule: { delivery: "auto" } }));
    return id as string;
  };
  const numbers = Array.from({ length: CLIENTS }, (_, number) => number);
  const batch = async (): Promise<Row & { statements: number }> => {
    const answer = await owner().post(BATCH, JANUARY);
    expect(answer.status, answer.text).to.equal(200);
    return { ...answer.body, statements: answer.statements };
  };
  const made = async () => {
    const running = "select 1 from reports where organisation_id = $1 and run_id is not null";
    const isOver = async () => (await world.service.sql.query(running, [world.tenant.organisation.id])).rowCount === 0;
    await until(isOver, 1_500_000);
    await settled(world.service);
  };

  it(`makes ${CLIENTS} reports once each, mails each recipient once, and every run takes the same number of statements`, async () => {
    for (const number of numbers) await enrol(number);
    const counting = countSteps();
    ({ restore } = counting);
    const first = await batch();
    expect(first).to.deep.include({ queued: CLIENTS, skipped: [], enrolled: CLIENTS });
    // While they are made, and once they are there.
    const during = await batch();
    expect([during["queued"], during["skipped"].length]).to.deep.equal([0, CLIENTS]);
    await made();
    const after = await batch();
    expect([after["queued"], new Set(after["skipped"].map(({ reason }: Row) => reason))]).to.deep.equal([
      0,
      new Set(["already_ready"]),
    ]);
    await made();

    const { rows } = await world.service.sql.query(
      `select r.company_name as name, r.status, (select count(*)::int from files f where f.entity_id = r.id) as files
         from reports r where r.organisation_id = $1`,
      [world.tenant.organisation.id],
    );
    expect(rows).to.have.deep.members(numbers.map((number) => ({ name: nameOf(number), status: "sent", files: 1 })));
    expect(world.mailbox.delivered.flatMap(({ to }) => to)).to.have.members(numbers.flatMap(addressesOf));

    // Each measure includes the reports that are being made; the relay of the test keeps the mails.
    const [early, late] = [Math.max(...counting.heaps.slice(0, 2)), Math.min(...counting.heaps.slice(-2))];
    const kept = world.mailbox.delivered.reduce(
      (bytes, { raw, mail }) =>
        bytes + raw.length + mail.attachments.reduce((all, { content }) => all + Buffer.byteLength(content), 0),
      0,
    );
    const grown = late - early - kept;
    process.stdout.write(
      `    heap ${counting.heaps.map((heap) => Math.round(heap / 2 ** 20)).join(", ")} MiB, of it mails ${Math.round(kept / 2 ** 20)}\n`,
    );
    expect(grown, "bytes of heap").to.be.lessThan(HEAP_GROWTH);
    const each = new Set([...counting.counts.values()].map(({ statements }) => statements));
    expect([counting.counts.size, [...each]]).to.deep.equal([CLIENTS, [STATEMENTS]]);
  });

  it("are queued with as many statements for many clients as for three", async () => {
    for (const number of numbers.slice(0, 3)) await enrol(number);
    const few = await batch();
    expect(few["queued"]).to.equal(3);
    await made();
    await world.renew();
    await enableReporting(world.service, world.tenant);
    for (const number of numbers) await enrol(number);
    const many = await batch();
    expect([many["queued"], many.statements]).to.deep.equal([CLIENTS, few.statements]);
    await made();
  });

  it(`are each made once while a provider is down for a third of ${CLIENTS}: those without its figures wait for a person`, async () => {
    const down = new Set(numbers.slice(Math.floor(CLIENTS / 3), Math.floor((2 * CLIENTS) / 3)));
    const byId = new Map<string, number>();
    const asked = new Map<number, number>();
    let isBack = false;
    withFigures({
      "marketing.traffic_channels": async () => visits(120),
      "marketing.search_console": async ({ company_id }) => {
        const number = byId.get(company_id) as number;
        asked.set(number, (asked.get(number) ?? 0) + 1);
        if (down.has(number) && !isBack) throw new Error("503 from the provider");
        return visits(40);
      },
    });
    for (const number of numbers) byId.set(await enrol(number), number);
    expect((await batch())["queued"]).to.equal(CLIENTS);
    await made();
    const outcomes = async () => {
      const { rows } = await world.service.sql.query(
        `select id, company_id, status, jsonb_array_length(sections) as sections, sent_at is not null as sent,
            jsonb_path_exists(warnings, '$[*] ? (@.code == "section_failed" && @.detail == "marketing.search_console")') as failed
           from reports where organisation_id = $1`,
        [world.tenant.organisation.id],
      );
      return rows.map(({ company_id, id: _id, ...row }) => ({ number: byId.get(company_id), ...row }));
    };
    const whole = (number: number) => ({ number, status: "sent", sections: 2, sent: true, failed: false });
    expect(await outcomes()).to.have.deep.members(
      numbers.map((number) =>
        down.has(number) ? { number, status: "ready", sections: 1, sent: false, failed: true } : whole(number),
      ),
    );
    // No run asks a provider that is down again and again.
    expect(new Set(asked.values())).to.deep.equal(new Set([1]));
    const mailed = numbers.filter((number) => !down.has(number));
    expect(world.mailbox.delivered.flatMap(({ to }) => to)).to.have.members(mailed.flatMap(addressesOf));
    const { rows: held } = await world.service.sql.query(
      "select entity_id from notifications where organisation_id = $1 and event_type = 'report.held'",
      [world.tenant.organisation.id],
    );
    expect([held.length, new Set(held.map(({ entity_id }) => entity_id)).size]).to.deep.equal([down.size, down.size]);

    isBack = true;
    for (const [company_id, number] of byId)
      if (down.has(number)) await ok(owner().post(GENERATE, { company_id, ...JANUARY, refresh_data: true }));
    await made();
    expect(await outcomes()).to.have.deep.members(numbers.map(whole));
    expect(world.mailbox.delivered.flatMap(({ to }) => to)).to.have.members(numbers.flatMap(addressesOf));
  });
});
