import { expect } from "chai";
import type pg from "pg";
import { send } from "../../../support/http.ts";
import { until } from "../../../support/jobs.ts";
import { type DocumentBody, ok, statuses } from "../documents/invoicing.ts";
import { newKey } from "../online/payment-world.ts";
import { many, meet, type Place, type Race } from "./race.ts";

const JOB = "invoicing.payments";
const LEFT = `select (select count(*) from jobs.agenda_jobs where name = '${JOB}' and type = 'single' and (next_run_at <= now() or locked_at is not null))
  + (select count(*) from jobs.agenda_jobs where name = '${JOB}' and type = 'normal' and (next_run_at is not null or locked_at is not null))
  + (select count(*) from outbox where job = '${JOB}' and relayed_at is null) as left`;

/** Lets the hour come on every node, and waits for the runs of all organisations. */
export async function askAgain(sql: pg.Client): Promise<void> {
  await sql.query("delete from jobs.occurrences");
  await sql.query("update jobs.agenda_jobs set next_run_at = now() where name = $1 and type = 'single'", [JOB]);
  await sql.query("select pg_notify('kantoor_jobs', $1)", [JSON.stringify({ node: "the test", wakes: [[JOB, 0]] })]);
  await until(async () => (await sql.query(LEFT)).rows[0].left === "0");
}

const prepare = ({ books }: Place) =>
  ok(books.owner.post("/invoicing/payment-accounts", { provider: "mollie", label: "Live", api_key: newKey() }));

const attemptsAt = (invoice: DocumentBody) => `/invoicing/invoices/${invoice.id}/payment-intents`;

async function started({ books, sql }: Place, invoice: DocumentBody): Promise<{ id: string; external_id: string }> {
  const { id } = await ok(books.owner.post(attemptsAt(invoice), {}));
  const { rows } = await sql.query("select external_id from payment_intents where id = $1", [id]);
  return { id, external_id: rows[0].external_id };
}

/** Money that arrives online, from all sides at once (money §16). */
export const paymentRaces: readonly Race[] = [
  {
    name: "callbacks + sync + refresh + job",
    prepare,
    async round(place) {
      const { books, provider, ports, sql } = place;
      const invoice = await books.issued([books.line(1, 100)]);
      const attempt = await started(place, invoice);
      provider.pay(attempt.external_id);
      const at = attemptsAt(invoice);
      const token = String(invoice.public_url).split("/").at(-1);
      const job = askAgain(sql);
      const callbacks = Promise.all(ports.map((port) => provider.callback(attempt.external_id, port, 3)));
      const answers = await Promise.all([
        books.owner.post(`${at}/${attempt.id}/sync`),
        books.owner.post(`${at}/${attempt.id}/sync`),
        books.owner.post(`${at}/refresh`),
        ...ports.map((port) => send(port, "POST", `/invoicing/public/invoices/${token}/refresh`, { host: books.tenant.host })),
      ]);
      expect([...answers.map(({ status }) => status), ...(await callbacks).flat()]).to.deep.equal(
        Array(answers.length + 3 * ports.length).fill(200),
      );
      await job;
      const { status, paid_total, payments } = await books.read(invoice.id);
      expect([status, paid_total, payments.length]).to.deep.equal(["paid", "121.00", 1]);
      return "one payment";
    },
  },
  {
    name: "callback vs payment vs note issue",
    prepare,
    async round(place, round) {
      const { books, provider, ports } = place;
      const invoice = await books.issued([books.line(1, 100)]);
      const attempt = await started(place, invoice);
      const note = await books.credit(invoice.id);
      provider.pay(attempt.external_id);
      const [called, paid, issued] = await meet(
        round,
        () => provider.callback(attempt.external_id, ports.at(-1) as number, 2),
        () => books.owner.post(`/invoicing/invoices/${invoice.id}/payments`, { paid_on: "2026-06-01", amount: 50 }),
        () => books.owner.post(`/invoicing/invoices/${note.id}/issue`, {}),
      );
      expect([...called, paid.status, issued.status]).to.deep.equal([200, 200, 200, 200]);
      const { paid_total, status, credited_total } = await books.read(invoice.id);
      expect([paid_total, status]).to.deep.equal(["171.00", "paid"]);
      return `credited ${credited_total}`;
    },
  },
  {
    name: "callback vs cancel",
    prepare,
    async round(place, round) {
      const { books, provider, ports } = place;
      const invoice = await books.issued([books.line(1, 100)]);
      const attempt = await started(place, invoice);
      provider.pay(attempt.external_id);
      const [cancel] = await meet(
        round,
        () => books.owner.post(`/invoicing/invoices/${invoice.id}/cancel`),
        () => provider.callback(attempt.external_id, ports.at(-1) as number),
      );
      const { status, paid_total } = await books.read(invoice.id);
      expect([status, paid_total]).to.deep.equal(cancel.status === 200 ? ["cancelled", "0.00"] : ["paid", "121.00"]);
      return status;
    },
  },
  {
    name: "attempt × 4",
    prepare,
    async round(place) {
      const { books, provider } = place;
      const invoice = await books.issued([books.line(1, 100)]);
      const before = provider.calls("create");
      const answers = await many(4, () => books.owner.post(attemptsAt(invoice), {}));
      expect(statuses(answers)).to.deep.equal({ 200: 4 });
      expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(1);
      expect(provider.calls("create") - before).to.equal(1);
      return "one at the provider";
    },
  },
];
