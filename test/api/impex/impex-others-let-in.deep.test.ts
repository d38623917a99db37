import { expect } from "chai";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { PackedList } from "../../../core/impex/files/packed.ts";
import { sendSheet } from "../../support/impex.ts";
import { until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

/** Rows of each file: enough for many pauses on any machine, and for a job. */
const ROWS = 6000;

/** The columns of a file that an import of each kind can read, and a row of it. */
const FILES: Readonly<Record<string, { columns: string; row: (n: number) => string }>> = {
  company: { columns: "name,city", row: (n) => `Client ${n},Utrecht` },
  contact: { columns: "first_name,last_name,email", row: (n) => `Ana,Bakker ${n},ana${n}@bakker.example` },
  domain: { columns: "name", row: (n) => `zeil${n}.example` },
  hosting: { columns: "name", row: (n) => `Server ${n}` },
  leave_request: {
    columns: "email,leave_type_key,start_date,end_date",
    row: (n) => `colleague${n}@bakker.example,vacation,2026-03-02,2026-03-03`,
  },
  product: { columns: "code,name,unit_price", row: (n) => `P-${n},Product ${n},10.00` },
  project: { columns: "name,company", row: (n) => `Project ${n},Client ${n}` },
  subscription: { columns: "name,company", row: (n) => `Agreement ${n},Client ${n}` },
  task: { columns: "title,company", row: (n) => `Task ${n},Client ${n}` },
  time_entry: { columns: "date,duration,company", row: (n) => `2026-03-02,1:00,Client ${n}` },
  tld_price: { columns: "tld,amount", row: (n) => `zeil${n},10.00` },
  website: { columns: "domain", row: (n) => `zeil${n}.example` },
};

/** The most rows of a file that were read in one turn of the event loop while the work ran, and how many in all. */
async function readsOf(work: () => Promise<unknown>): Promise<{ most: number; all: number }> {
  const read = PackedList.prototype.at;
  let [inTurn, most, all, isOver] = [0, 0, 0, false];
  PackedList.prototype.at = function at(this: PackedList<unknown>, index: number) {
    inTurn += 1;
    all += 1;
    return read.call(this, index);
  } as typeof read;
  const turn = () => {
    most = Math.max(most, inTurn);
    inTurn = 0;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work();
  } finally {
    isOver = true;
    PackedList.prototype.at = read;
  }
  return { most: Math.max(most, inTurn), all };
}

describe("a long import lets others in between its rows", () => {
  let service: TestService;
  let tenant: Tenant;

  before(async () => {
    service = await startService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  it("whatever it imports: each kind has a file below", () => {
    const kinds = [...catalogue().records].flatMap(([kind, { sheet }]) => (sheet ? kind : []));
    expect(kinds.toSorted()).to.deep.equal(Object.keys(FILES).toSorted());
  });

  for (const [kind, { columns, row }] of Object.entries(FILES))
    it(kind, async () => {
      const file = `${columns}\n${Array.from({ length: ROWS }, (_, n) => row(n)).join("\n")}\n`;
      let rows = 0;
      const { most, all } = await readsOf(async () => {
        const { status, body, text } = await sendSheet(tenant.owner, kind, file);
        expect(status, text).to.equal(202);
        const job = await until(async () => {
          const { body: found } = await tenant.owner.get(`/impex/jobs/${body.job_id}`);
          return ["done", "failed"].includes(found.status) && found;
        }, 300_000);
        expect(job.status, JSON.stringify(job.error)).to.equal("done");
        rows = job.result.rows;
      });
      expect(rows).to.equal(ROWS);
      expect(all).to.be.at.least(3 * ROWS);
      expect(most).to.be.below(ROWS / 2);
    }).timeout(600_000);
});
